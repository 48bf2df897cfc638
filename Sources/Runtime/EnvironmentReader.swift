public import Values

/// A variable that is set wrongly, or is missing: it says what to do, never the value.
public struct EnvironmentFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let variable: String
    /// What would be right.
    public let problem: String

    public init(variable: String, problem: String) {
        self.variable = variable
        self.problem = problem
    }

    public var description: String { "\(variable): \(problem)" }
}

/// Reads the environment once, collecting every fault, so that an operator mends all in one go.
///
/// Values are trimmed and an empty one is unset.
public struct EnvironmentReader {
    private let values: [String: String]
    /// All so far, in the order of the questions.
    public private(set) var faults: [EnvironmentFault] = []

    /// - Parameter values: the environment, by name.
    public init(_ values: [String: String]) {
        self.values = values
    }

    /// Notes a fault that the caller found.
    public mutating func add(_ variable: String, _ problem: String) {
        faults.append(EnvironmentFault(variable: variable, problem: problem))
    }

    /// The trimmed value; nil when it is unset or blank.
    public func text(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        let blank: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
        let start = value.firstIndex { !blank.contains($0) } ?? value.endIndex
        let trimmed = value[start...]
        guard let end = trimmed.lastIndex(where: { !blank.contains($0) }) else { return nil }
        return String(trimmed[...end])
    }

    /// The same for what must not be printed.
    public func secret(_ name: String) -> Secret<String>? { text(name).map(Secret.init) }

    /// A whole number; a faulty one is noted, and the default holds.
    public mutating func integer(
        _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) -> Int {
        guard let text = text(name) else { return standard }
        guard let value = Int(text), range.contains(value) else {
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            add(name, "must be a whole number from \(bounds)")
            return standard
        }
        return value
    }

    /// A number of seconds, with a fraction if wanted; a faulty one is noted, and the default
    /// holds.
    public mutating func seconds(
        _ name: String, default standard: Double, in range: ClosedRange<Double>
    ) -> Duration {
        guard let text = text(name) else { return .seconds(standard) }
        guard let value = Double(text), range.contains(value) else {
            add(name, "must be a number of seconds from \(range.lowerBound) to \(range.upperBound)")
            return .seconds(standard)
        }
        return .seconds(value)
    }

    /// One of the words, in this case; another one is noted, and the default holds.
    public mutating func choice(
        _ name: String, default standard: String, of choices: [String]
    ) -> String {
        guard let text = text(name) else { return standard }
        guard choices.contains(text) else {
            add(name, "must be one of \(choices.joined(separator: ", "))")
            return standard
        }
        return text
    }

    /// `host:port`; an IPv6 host stands in brackets.
    public mutating func address(
        _ name: String, default standard: (host: String, port: Int)
    ) -> (host: String, port: Int) {
        guard let text = text(name) else { return standard }
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port), colon > text.startIndex
        else {
            add(name, "must be an address and a port, as 127.0.0.1:9090")
            return standard
        }
        return (String(text[..<colon]), port)
    }
}
