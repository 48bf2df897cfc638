extension Pins {
    static let conversations: [Pin] = [
        Pin(
            type: "conversations.started", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Nova conversa: Ana Souza","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.started","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Nova conversa: Ana Souza","body":"Tem M?"},"data":{"kind":"conversations.started","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.started", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"New conversation: Ana Souza","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.started","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"New conversation: Ana Souza","body":"Tem M?"},"data":{"kind":"conversations.started","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.message_received", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Ana Souza","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.message_received","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Ana Souza","body":"Tem M?"},"data":{"kind":"conversations.message_received","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.message_received", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Ana Souza","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.message_received","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Ana Souza","body":"Tem M?"},"data":{"kind":"conversations.message_received","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.handed_over", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Ana Souza precisa de você","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.handed_over","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Ana Souza precisa de você","body":"Tem M?"},"data":{"kind":"conversations.handed_over","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.handed_over", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Ana Souza needs you","subtitle":"Loja Azul","body":"Tem M?"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.handed_over","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Ana Souza needs you","body":"Tem M?"},"data":{"kind":"conversations.handed_over","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.assigned", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Conversa atribuída a você","subtitle":"Loja Azul","body":"Ana Souza"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.assigned","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Conversa atribuída a você","body":"Ana Souza"},"data":{"kind":"conversations.assigned","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "conversations.assigned", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: conv-0199c0b1-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Conversation assigned to you","subtitle":"Loja Azul","body":"Ana Souza"},"sound":"default","badge":3,"thread-id":"conv-0199c0b1-0000-7000-8000-000000000001"},"kind":"conversations.assigned","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Conversation assigned to you","body":"Ana Souza"},"data":{"kind":"conversations.assigned","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","conversation_id":"0199c0b1-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"conv-0199c0b1-0000-7000-8000-000000000001","notification":{"channel_id":"conversations","tag":"conv-0199c0b1-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
    ]
}
