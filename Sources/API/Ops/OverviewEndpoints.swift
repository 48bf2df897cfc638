import JSON
import Storage
import Values

/// What operators watch: the queue, the lanes and the stores' load.
enum OverviewEndpoints {
    static let endpoints = [overview, stream, stores]

    private static let overview = Endpoint(
        .get, "/v1/ops/overview",
        "The queue by kind, lane and state, acceptance by provider, and closed lanes with the "
            + "reason. A figure stops at \(Overview.countLimit).",
        access: Access(.operators), responses: [Response(200, "Now.", OverviewReading.shape)]
    ) { _, _, transaction in
        let reading = try OverviewReading(transaction)
        return .json(200) { reading.write(to: &$0) }
    }

    private static let stream = Endpoint(
        .get, "/v1/ops/stream",
        "The overview again and again as server-sent events `overview`. It ends with the session, "
            + "with an event `end` that carries the code.",
        access: Access(.operators),
        responses: [Response(200, "The events.", mediaType: "text/event-stream")]
    ) { _, entrance in
        let stream = OverviewStream(entrance: entrance)
        let first = try await stream.read()
        return Answer(status: 200, content: .events { await stream.run(first, to: $0) })
    }

    private static let load = Shape.named(
        "StoreLoad",
        .object([
            .required("store_id", .uuid), .required("name", .text),
            .required("waiting", .integer), .required("ended_last_5m", .integer),
            .required("share", .number), .required("fair_share", .number),
        ]))

    private static let stores = Endpoint(
        .get, "/v1/ops/stores",
        "What waits for each store, what ended in the last five minutes, its part of all that "
            + "ended and the part that it may claim; the most loaded first.",
        access: Access(.operators),
        query: [QueryParameter("limit", .integer(1...200), "At most so many; 50 when absent.")],
        responses: [
            Response(
                200, "The stores.",
                .object([
                    .required("data", .list(of: load)), .required("next", .nullable(.text)),
                ]))
        ]
    ) { call, _, transaction in
        try Overview.bound(OverviewReading.patience, in: transaction)
        let loads = try Overview.stores(
            limit: Int(call.query.integer("limit") ?? 50), in: transaction)
        return .json(200) { writer in
            writer.beginObject()
            writer.key("data")
            writer.beginArray()
            for load in loads { write(load, to: &writer) }
            writer.endArray()
            // An order by load has no place that stays: whoever wants more asks for more at once.
            writer.member("next", orNull: nil)
            writer.endObject()
        }
    }

    private static func write(_ load: StoreLoad, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("store_id", load.store.description)
        writer.member("name", load.name)
        writer.member("waiting", load.waiting)
        writer.member("ended_last_5m", load.endedLastFiveMinutes)
        writer.key("share")
        writer.real(load.share)
        writer.key("fair_share")
        writer.real(load.fairShare)
        writer.endObject()
    }
}
