import Alerts
import JSON
import Postgres
import Storage

/// What bodies say of a store, checked beyond their shape.
enum StoreFields {
    /// Every fault at once. That a time zone exists, the database says: it counts the store's days.
    static func change(
        _ body: Body, in transaction: PostgresTransaction
    ) throws -> StoreChange {
        var change = StoreChange()
        change.name = try body.optionalText("name")
        change.timeZone = try body.optionalText("time_zone")
        change.currency = try body.optionalText("currency")
        change.lowStockThreshold = try body.optionalInteger("low_stock_threshold").map { Int($0) }
        var faults: [FieldFault] = []
        if let zone = change.timeZone, try !Stores.isTimeZone(zone, in: transaction) {
            faults.append(
                FieldFault(
                    pointer: "/time_zone", code: .unknownValue,
                    message: "must be a time zone of the IANA database"))
        }
        if let text = try body.optionalText("locale") {
            change.locale = LanguageTag(text)?.text
            if change.locale == nil {
                faults.append(
                    FieldFault(
                        pointer: "/locale", code: .format,
                        message: "must be a language tag such as pt-BR"))
            }
        }
        if !faults.isEmpty { throw Problem.invalid(faults) }
        return change
    }

    /// The fields that differ, as they were and as they are.
    static func difference(
        _ before: StoreLine, _ after: StoreLine
    ) -> (before: JSONObject, after: JSONObject) {
        let old = fields(before)
        let new = fields(after)
        let changed = zip(old, new).filter { $0.0.1 != $0.1.1 }
        return (JSONObject(changed.map(\.0)), JSONObject(changed.map(\.1)))
    }

    static func fields(_ line: StoreLine) -> [(String, JSONValue)] {
        [
            ("name", .text(line.name)), ("time_zone", .text(line.timeZone)),
            ("locale", .text(line.locale)), ("currency", .text(line.currency)),
            ("low_stock_threshold", .integer(Int64(line.lowStockThreshold))),
        ]
    }
}
