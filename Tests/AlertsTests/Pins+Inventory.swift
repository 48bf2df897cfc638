extension Pins {
    static let stockAndTest: [Pin] = [
        Pin(
            type: "inventory.stock_changed", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: stock-0199bbbb-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Estoque baixo: Camiseta (P)","subtitle":"Loja Azul","body":"Restam 3 unidades · Centro"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"inventory.low_stock","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","product_id":"0199aaaa-0000-7000-8000-000000000001","variant_id":"0199bbbb-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Estoque baixo: Camiseta (P)","body":"Restam 3 unidades · Centro"},"data":{"kind":"inventory.low_stock","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","product_id":"0199aaaa-0000-7000-8000-000000000001","variant_id":"0199bbbb-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"stock-0199bbbb-0000-7000-8000-000000000001","notification":{"channel_id":"inventory","tag":"stock-0199bbbb-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "inventory.stock_changed", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: stock-0199bbbb-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Low stock: Camiseta (P)","subtitle":"Loja Azul","body":"3 units left · Centro"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"inventory.low_stock","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","product_id":"0199aaaa-0000-7000-8000-000000000001","variant_id":"0199bbbb-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Low stock: Camiseta (P)","body":"3 units left · Centro"},"data":{"kind":"inventory.low_stock","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","product_id":"0199aaaa-0000-7000-8000-000000000001","variant_id":"0199bbbb-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"stock-0199bbbb-0000-7000-8000-000000000001","notification":{"channel_id":"inventory","tag":"stock-0199bbbb-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "test", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Teste de notificação","body":"As notificações estão funcionando neste aparelho."},"sound":"default"},"kind":"test"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Teste de notificação","body":"As notificações estão funcionando neste aparelho."},"data":{"kind":"test"},"android":{"priority":"high","ttl":"3600s","notification":{"sound":"default"}}}}
                """#),
        Pin(
            type: "test", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Notification test","body":"Notifications are working on this device."},"sound":"default"},"kind":"test"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Notification test","body":"Notifications are working on this device."},"data":{"kind":"test"},"android":{"priority":"high","ttl":"3600s","notification":{"sound":"default"}}}}
                """#),
    ]
}
