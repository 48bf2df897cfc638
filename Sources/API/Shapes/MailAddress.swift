import JSON

/// The addresses that people sign in with: one rule for the API and the command line.
public enum MailAddress {
    static let shape = Shape.text(3...254, .email)

    /// The address as it is kept, in lower case; nil for a text that is none.
    public static func normal(_ text: String) -> String? {
        shape.faults(in: .text(text)).isEmpty ? text.lowercased() : nil
    }
}
