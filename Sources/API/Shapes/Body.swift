public import Alerts
import HTTPServer
public import JSON
public import Values

/// The body of a request as its endpoint declares it.
public struct BodyShape: Sendable {
    public let shape: Shape
    public let isOptional: Bool

    public init(_ shape: Shape, isOptional: Bool = false) {
        self.shape = shape
        self.isOptional = isOptional
    }

    public static func object(_ fields: Field...) -> BodyShape { BodyShape(.object(fields)) }
}

/// A checked body. Whoever reads a faulty one throws the problem that its sender gets.
public struct Body: Sendable {
    private let result: Result<JSONValue, Problem>

    /// No body, or none that the endpoint would read.
    static let none = Body(result: .success(.null))

    private init(result: Result<JSONValue, Problem>) { self.result = result }

    init(_ request: HTTPRequest, _ declared: BodyShape?) {
        guard let declared, !(declared.isOptional && request.body.isEmpty) else {
            self = .none
            return
        }
        self.init(result: Result { () throws(Problem) in try Self.read(request, declared.shape) })
    }

    private static func read(_ request: HTTPRequest, _ shape: Shape) throws(Problem) -> JSONValue {
        if !request.body.isEmpty, !isJSON(request.headers["Content-Type"]) {
            throw Problem(.unsupportedMediaType)
        }
        if !request.body.isEmpty, !isPlain(request.headers.values("Content-Encoding")) {
            throw Problem.contentCoding
        }
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONValue.parse(request.body)
        } catch {
            throw Problem(
                error.code == .duplicateKey ? .duplicateKey : .invalidJSON,
                "At byte \(error.offset): \(error.message).")
        }
        let faults = shape.faults(in: value)
        if !faults.isEmpty { throw .invalid(faults) }
        return value
    }

    /// `application/json` or a type that ends in `+json`, in UTF-8.
    static func isJSON(_ header: String?) -> Bool {
        guard let header else { return false }
        let parts = header.lowercased().split(separator: ";").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " }.reversed())
        }
        guard let type = parts.first,
            type == "application/json"
                || (type.hasPrefix("application/") && type.hasSuffix("+json"))
        else { return false }
        return parts.dropFirst().allSatisfy { parameter in
            !parameter.hasPrefix("charset=")
                || ["charset=utf-8", "charset=\"utf-8\""].contains(parameter)
        }
    }

    /// Whether nothing was done to a body on its way that would have to be undone (RFC 9110 section
    /// 8.4).
    private static func isPlain(_ codings: [String]) -> Bool {
        codings.joined(separator: ",").split { ", \t".contains($0) }
            .allSatisfy { $0.lowercased() == "identity" }
    }

    /// The whole value; `.null` when there is no body.
    public var value: JSONValue { get throws(Problem) { try result.get() } }

    /// A member that is absent or null gives nil.
    public func optionalText(_ name: String) throws(Problem) -> String? { try value[name]?.text }

    public func text(_ name: String) throws(Problem) -> String {
        try required(name, try value[name]?.text)
    }

    public func optionalInteger(_ name: String) throws(Problem) -> Int64? {
        try value[name]?.integer
    }

    public func integer(_ name: String) throws(Problem) -> Int64 {
        try required(name, try value[name]?.integer)
    }

    public func optionalBool(_ name: String) throws(Problem) -> Bool? { try value[name]?.bool }

    public func bool(_ name: String) throws(Problem) -> Bool {
        try required(name, try value[name]?.bool)
    }

    /// The texts of a list; absent and null give nil.
    public func optionalTexts(_ name: String) throws(Problem) -> [String]? {
        try value[name]?.array?.compactMap(\.text)
    }

    public func texts(_ name: String) throws(Problem) -> [String] {
        try required(name, try optionalTexts(name))
    }

    public func optionalTime(_ name: String) throws(Problem) -> Timestamp? {
        try optionalText(name).flatMap { Timestamp(rfc3339: $0) }
    }

    /// What a member that is kept when absent and cleared by null shall become.
    public func change(_ name: String) throws(Problem) -> Change<JSONValue> {
        switch try value[name] {
        case nil: .unchanged
        case .null: .none
        case let value?: .value(value)
        }
    }

    /// The shape has seen to it already; a handler that asks for more than it declares is told so.
    private func required<Value>(_ name: String, _ value: Value?) throws(Problem) -> Value {
        guard let value else {
            throw .invalid(JSONPointer.step(name), .required, "is required")
        }
        return value
    }
}
