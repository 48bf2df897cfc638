import Values

/// One log of the process: a line a record, JSON or text, to standard error.
///
/// Fields carry ids, counts and codes. Message texts, tokens, keys and bearer values never do: a
/// device token is named by eight hex digits of its hash.
public struct Log: Sendable {
    /// How grave a record is, from the least.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        /// The word on the line and in `LOG_LEVEL`.
        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// Nil for another word.
        public init?(name: String) {
            guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// One JSON object a line for machines, `key=value` text for people.
    public enum Format: String, Sendable, CaseIterable { case json, text }

    /// In the order in which they are written.
    public typealias Fields = KeyValuePairs<String, LogValue>

    /// Less grave records are dropped.
    public let level: Level
    private let format: Format
    private let common: [(String, LogValue)]
    private let sink: @Sendable (String) -> Void

    /// - Parameter sink: takes each line without its line break; the default writes it to standard
    ///   error in one call, so that lines of processes that share it do not mix.
    public init(
        level: Level = .info, format: Format = .json,
        sink: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.init(level: level, format: format, common: [], sink: sink)
    }

    private init(
        level: Level, format: Format, common: [(String, LogValue)],
        sink: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.format = format
        self.common = common
        self.sink = sink
    }

    /// A log that drops everything.
    public static let silent = Log(level: .error, format: .text, sink: { _ in })

    /// The same log with fields that every record of it carries.
    public func with(_ fields: Fields) -> Log {
        Log(
            level: level, format: format, common: common + fields.map { ($0.key, $0.value) },
            sink: sink)
    }

    /// One record. The message is a constant phrase; what varies stands in fields.
    public func debug(_ message: String, _ fields: Fields = [:]) { write(.debug, message, fields) }
    public func info(_ message: String, _ fields: Fields = [:]) { write(.info, message, fields) }
    public func warning(_ message: String, _ fields: Fields = [:]) {
        write(.warning, message, fields)
    }
    public func error(_ message: String, _ fields: Fields = [:]) { write(.error, message, fields) }

    /// The same with the level as a value.
    public func write(_ level: Level, _ message: String, _ fields: Fields = [:]) {
        guard level >= self.level else { return }
        let all = common + fields.map { ($0.key, $0.value) }
        switch format {
        case .json: sink(LogLine.json(at: .now(), level: level, message: message, fields: all))
        case .text: sink(LogLine.text(at: .now(), level: level, message: message, fields: all))
        }
    }

    /// Writes the line and its break; what cannot be written is counted (`LogOutput`).
    @Sendable public static func standardError(_ line: String) {
        LogOutput.standardError.write(line)
    }
}

/// A value of a log field.
public enum LogValue: Sendable {
    case text(String)
    case integer(Int64)
    case real(Double)
    case flag(Bool)

    /// An id or another value that prints safely.
    public static func id(_ id: some CustomStringConvertible) -> LogValue { .text(id.description) }
    /// A whole number, clamped to 64 bits.
    public static func count(_ number: some BinaryInteger) -> LogValue {
        .integer(Int64(clamping: number))
    }
    /// A time in milliseconds with three decimals, for fields whose name ends in `_ms`.
    public static func milliseconds(_ duration: Duration) -> LogValue {
        .real((duration.secondsAsDouble * 1_000_000).rounded() / 1000)
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
