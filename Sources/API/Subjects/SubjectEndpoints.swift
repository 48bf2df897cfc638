import Alerts
import JSON
import Storage
import Values

/// What a tapped alert opens: the order, conversation or variant that it is about.
enum SubjectEndpoints {
    static func endpoints() -> [Endpoint] { [order, conversation, counts, stock] }

    private static let order = Endpoint(
        .get, "/v1/stores/{store}/orders/{order}", "An order as the platform knows it.",
        access: Access(.member(with: .ordersRead)),
        responses: [Response(200, "The order.", SubjectShapes.order)]
    ) { call, _, transaction in
        let order = try Orders.find(
            call.path.id("store"), call.path.subject("order"), in: transaction)
        guard let order else { throw Problem(.notFound) }
        return .json(200) { SubjectShapes.write(order, to: &$0) }
    }

    private static let conversation = Endpoint(
        .get, "/v1/stores/{store}/conversations/{conversation}",
        "A conversation as the platform knows it.",
        access: Access(.member(with: .conversationsRead)),
        responses: [Response(200, "The conversation.", SubjectShapes.conversation)]
    ) { call, _, transaction in
        let conversation = try Conversations.find(
            call.path.id("store"), call.path.subject("conversation"), in: transaction)
        guard let conversation else { throw Problem(.notFound) }
        return .json(200) { SubjectShapes.write(conversation, to: &$0) }
    }

    private static let counts = Endpoint(
        .get, "/v1/stores/{store}/conversations/counts",
        "How many conversations there are, and how many wait. The badge is `mine + unassigned`.",
        access: Access(.member(with: .conversationsRead)),
        responses: [Response(200, "The counts.", SubjectShapes.counts)]
    ) { call, caller, transaction in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let counts = try Conversations.counts(
            call.path.id("store"), for: person.id, in: transaction)
        return .json(200) { SubjectShapes.write(counts, to: &$0) }
    }

    private static let stock = Endpoint(
        .get, "/v1/stores/{store}/variants/{variant}/stock",
        "What is left of a variant at each location.",
        access: Access(.member(with: .inventoryRead)),
        responses: [Response(200, "The stock.", SubjectShapes.stock)]
    ) { call, _, transaction in
        let stock = try Stock.find(
            call.path.id("store"), variant: call.path.subject("variant"), in: transaction)
        guard let stock else { throw Problem(.notFound) }
        return .json(200) { SubjectShapes.write(stock, to: &$0) }
    }
}

extension PathValues {
    /// The id of an order, conversation or variant: a UUID in either case, kept in lower case.
    fileprivate func subject(_ name: String) throws(Problem) -> String {
        guard let id = UUID(try text(name)) else { throw Problem(.notFound) }
        return id.description
    }
}
