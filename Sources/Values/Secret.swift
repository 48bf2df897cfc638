/// Something that must reach no log line, metric, error or dead letter: it prints as redacted, and
/// taking it out is a visible act.
public struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    /// Hides the value from here on.
    public init(_ value: Value) {
        self.value = value
    }

    /// The thing itself, for the one place that needs it.
    public func reveal() -> Value { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
