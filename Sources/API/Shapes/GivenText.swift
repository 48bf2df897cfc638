import Alerts
import JSON

/// The names that people give, and the reasons that they give for an act: one rule for the API and
/// the command line. At least one character can be seen.
public enum GivenText: Sendable {
    case personName, storeName, tokenName
    /// Goes into the audit log.
    case note

    var shape: Shape {
        switch self {
        case .personName, .storeName: .visible(1...200)
        case .tokenName: .visible(1...100)
        case .note: .visible(1...500)
        }
    }

    /// What is wrong with a text, in words that go on after its name; nil for a good one.
    public func fault(in text: String) -> String? {
        shape.faults(in: .text(text)).first?.message
    }
}
