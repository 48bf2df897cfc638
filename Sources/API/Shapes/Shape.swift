public import Alerts
public import JSON

/// What a JSON value must look like. One declaration checks what comes in, describes it in the
/// OpenAPI document, and lets tests hold answers against it.
public indirect enum Shape: Sendable {
    case text(TextRule)
    case integer(ClosedRange<Int64>)
    case number
    case bool
    case list(of: Shape, count: ClosedRange<Int>)
    /// Members that are not declared are ignored when they come in.
    case object([Field])
    /// An object whose keys are data.
    case map(keys: TextRule, values: Shape, count: ClosedRange<Int>)
    case nullable(Shape)
    case anything
    /// A shape that appears in several places, and so has a name in the document.
    case named(String, Shape)
    /// A shape that is declared elsewhere: its schema, and what is wrong with a value that stands
    /// at a JSON pointer.
    case custom(schema: JSONValue, check: @Sendable (JSONValue, String) -> [FieldFault])

    /// A text of so many characters (Unicode code points).
    public static func text(_ length: ClosedRange<Int>, _ format: TextFormat? = nil) -> Shape {
        .text(TextRule(length: length, format: format))
    }

    public static func text(_ format: TextFormat) -> Shape {
        .text(TextRule(length: 1...200, format: format))
    }

    /// A text of so many characters, of which one at least can be seen.
    public static func visible(_ length: ClosedRange<Int>) -> Shape {
        .text(TextRule(length: length, mustShow: true))
    }

    /// Any text, for answers.
    public static let text = Shape.text(TextRule(length: 0...1_000_000))

    public static func oneOf(_ words: [String]) -> Shape {
        .text(TextRule(length: 0...1_000_000, words: words))
    }

    /// One of the words of today in a request, with more to come: the document names them and
    /// closes nothing, what is none of them is answered `unknown_value`.
    public static func oneOf(open words: [String]) -> Shape {
        .text(TextRule(length: 0...1_000_000, words: words, isOpen: true))
    }

    public static let uuid = Shape.text(.uuid)
    public static let time = Shape.text(.time)
    /// Any integer, for answers.
    public static let integer = Shape.integer(Int64.min...Int64.max)

    /// Any number of values, for answers.
    public static func list(of shape: Shape) -> Shape { .list(of: shape, count: 0...1_000_000) }
}

/// What a text must look like.
public struct TextRule: Sendable {
    public let length: ClosedRange<Int>
    /// The only words allowed.
    public let words: [String]?
    /// Whether more words will come, so that the document must not close the list.
    public let isOpen: Bool
    public let format: TextFormat?
    /// Whether blanks, controls and the like are not enough.
    public let mustShow: Bool

    public init(
        length: ClosedRange<Int>, words: [String]? = nil, isOpen: Bool = false,
        format: TextFormat? = nil, mustShow: Bool = false
    ) {
        self.length = length
        self.words = words
        self.isOpen = isOpen
        self.format = format
        self.mustShow = mustShow
    }
}

/// A member of an object.
public struct Field: Sendable {
    enum Presence: Sendable { case required, optional, forbidden }

    public let name: String
    public let shape: Shape
    let presence: Presence

    public static func required(_ name: String, _ shape: Shape) -> Field {
        Field(name: name, shape: shape, presence: .required)
    }

    public static func optional(_ name: String, _ shape: Shape) -> Field {
        Field(name: name, shape: shape, presence: .optional)
    }

    /// A member that has a meaning elsewhere and is refused here, so that nobody believes in it.
    public static func forbidden(_ name: String) -> Field {
        Field(name: name, shape: .anything, presence: .forbidden)
    }
}
