extension Pins {
    static let orders: [Pin] = [
        Pin(
            type: "orders.created", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-created-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Novo pedido #1042","subtitle":"Loja Azul","body":"R$\#u{A0}1.234,56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.created","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Novo pedido #1042","body":"R$\#u{A0}1.234,56 · Ana Souza"},"data":{"kind":"orders.created","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-created-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-created-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "orders.created", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-created-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"New order #1042","subtitle":"Loja Azul","body":"R$1,234.56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.created","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"New order #1042","body":"R$1,234.56 · Ana Souza"},"data":{"kind":"orders.created","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-created-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-created-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "orders.paid", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-paid-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Pedido #1042 pago","subtitle":"Loja Azul","body":"R$\#u{A0}1.234,56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.paid","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Pedido #1042 pago","body":"R$\#u{A0}1.234,56 · Ana Souza"},"data":{"kind":"orders.paid","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-paid-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-paid-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "orders.paid", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-paid-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Order #1042 paid","subtitle":"Loja Azul","body":"R$1,234.56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.paid","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Order #1042 paid","body":"R$1,234.56 · Ana Souza"},"data":{"kind":"orders.paid","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-paid-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-paid-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "orders.cancelled", language: "pt",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-cancelled-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Pedido #1042 cancelado","subtitle":"Loja Azul","body":"R$\#u{A0}1.234,56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.cancelled","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Pedido #1042 cancelado","body":"R$\#u{A0}1.234,56 · Ana Souza"},"data":{"kind":"orders.cancelled","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-cancelled-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-cancelled-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
        Pin(
            type: "orders.cancelled", language: "en",
            apns: #"""
                apns-topic: com.mobiari.merchant
                apns-push-type: alert
                apns-priority: 10
                apns-expiration: 1793182443
                apns-id: 0199beef-0000-7000-8000-000000000001
                apns-collapse-id: order-cancelled-0199b7e2-0000-7000-8000-000000000001
                {"aps":{"alert":{"title":"Order #1042 cancelled","subtitle":"Loja Azul","body":"R$1,234.56 · Ana Souza"},"sound":"default","badge":3,"thread-id":"store-0199a0c4-0000-7000-8000-000000000001"},"kind":"orders.cancelled","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"}
                """#,
            fcm: #"""
                {"message":{"token":"fcm:token","notification":{"title":"Order #1042 cancelled","body":"R$1,234.56 · Ana Souza"},"data":{"kind":"orders.cancelled","alert_id":"0199c0de-0000-7000-8000-000000000001","store_id":"0199a0c4-0000-7000-8000-000000000001","order_id":"0199b7e2-0000-7000-8000-000000000001"},"android":{"priority":"high","ttl":"3600s","collapse_key":"order-cancelled-0199b7e2-0000-7000-8000-000000000001","notification":{"channel_id":"orders","tag":"order-cancelled-0199b7e2-0000-7000-8000-000000000001","notification_count":3,"sound":"default"}}}}
                """#),
    ]
}
