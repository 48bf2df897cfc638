import Alerts
import JSON
import Storage
import Values

/// Who would hear what now.
enum CoverageEndpoints {
    static func endpoints(_ parts: Parts) -> [Endpoint] { [show(parts)] }

    static let coverage = Shape.named(
        "Coverage",
        .object([
            .required(
                "kinds",
                .list(
                    of: .object([
                        .required("kind", .text), .required("members", .integer),
                        .required("would_alert", .integer), .required("warning", .bool),
                        .required(
                            "blocked",
                            .map(keys: TextRule(length: 1...100), values: .integer, count: 0...100)
                        ),
                    ])))
        ]))

    private static func show(_ parts: Parts) -> Endpoint {
        Endpoint(
            .get, "/v1/stores/{store}/coverage",
            "Per kind, how many members would be alerted now and what stops the others.",
            access: Access(.member(with: .membersManage)),
            responses: [Response(200, "The coverage.", coverage)]
        ) { call, _, transaction in
            let facts = try CoverageFacts.load(
                call.path.id("store"), in: transaction, isConfigured: parts.isConfigured)
            guard let facts else { throw Problem(.notFound) }
            return .json(200) { writer in
                writer.beginObject()
                writer.key("kinds")
                writer.beginArray()
                for kind in AlertKind.listed {
                    write(Recipients.coverage(of: kind, facts), to: &writer)
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    private static func write(_ coverage: KindCoverage, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", coverage.kind.name)
        writer.member("members", coverage.members)
        writer.member("would_alert", coverage.wouldAlert)
        writer.member("warning", coverage.isWarning)
        writer.key("blocked")
        writer.beginObject()
        for reason in Reason.all {
            if let count = coverage.blocked[reason] { writer.member(reason.rawValue, count) }
        }
        writer.endObject()
        writer.endObject()
    }
}
