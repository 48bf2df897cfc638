import Alerts
import JSON
public import Values

/// A parameter behind the `?`, all of which are optional. Those that are not declared are ignored;
/// of one that comes twice the first counts.
public struct QueryParameter: Sendable {
    public enum Kind: Sendable {
        case text(TextRule)
        case integer(ClosedRange<Int64>)
        /// `true` or `false`.
        case bool
    }

    public let name: String
    public let kind: Kind
    public let summary: String

    public init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    public static func uuid(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(name, .text(TextRule(length: 1...200, format: .uuid)), summary)
    }

    public static func time(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(name, .text(TextRule(length: 1...200, format: .time)), summary)
    }

    var shape: Shape {
        switch kind {
        case .text(let rule): .text(rule)
        case .integer(let range): .integer(range)
        case .bool: .bool
        }
    }

    /// The text as the value it stands for; what is none stays a text and fails the check.
    func value(of text: String) -> JSONValue {
        switch kind {
        case .text: .text(text)
        case .integer: Int64(text).map { .integer($0) } ?? .text(text)
        case .bool: text == "true" ? true : text == "false" ? false : .text(text)
        }
    }
}

/// The checked parameters behind the `?`.
public struct QueryValues: Sendable {
    static let empty = QueryValues()

    private var values = JSONObject()

    private init() {}

    /// - Throws: 422 with every fault at once.
    init(_ query: String, _ parameters: [QueryParameter]) throws(Problem) {
        guard !parameters.isEmpty, !query.isEmpty else { return }
        var faults: [FieldFault] = []
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentText.decode(pair[0], plusIsSpace: true),
                let parameter = parameters.first(where: { $0.name == name }), values[name] == nil
            else { continue }
            let place = JSONPointer.step(name)
            guard let text = PercentText.decode(pair.count == 2 ? pair[1] : "", plusIsSpace: true)
            else {
                faults.append(
                    FieldFault(pointer: place, code: .format, message: "is not a valid text"))
                continue
            }
            let value = parameter.value(of: text)
            faults += parameter.shape.faults(in: value, at: place)
            values[name] = value
        }
        if !faults.isEmpty { throw .invalid(faults) }
    }

    public func text(_ name: String) -> String? { values[name]?.text }
    public func integer(_ name: String) -> Int64? { values[name]?.integer }
    public func bool(_ name: String) -> Bool { values[name]?.bool ?? false }
    public func id<Subject>(_ name: String) -> ID<Subject>? {
        text(name).flatMap { ID<Subject>($0) }
    }
    public func time(_ name: String) -> Timestamp? {
        text(name).flatMap { Timestamp(rfc3339: $0) }
    }
}
