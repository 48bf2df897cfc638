import Cryptography
import HTTPServer
import Values

/// Versions of what can be changed (RFC 9110 section 8.8.3).
public enum EntityTag {
    /// A strong tag, with its quotes, of the bytes that stand for the state.
    public static func of(_ bytes: [UInt8]) -> String {
        "\"\(Hex.encode(SHA256.hash(bytes).prefix(12)))\""
    }
}

extension Call {
    /// Lets a change go on only if it is of the state that its sender has seen: none without
    /// `If-Match`. Weak tags never match (RFC 9110 section 13.1.1).
    ///
    /// - Parameter current: the tag of the state now; nil when there is nothing.
    public func requireMatch(_ current: String?) throws(Problem) {
        let lines = request.headers.values("If-Match")
        guard !lines.isEmpty else { return }
        let wanted = lines.joined(separator: ",").split(separator: ",").map { part in
            part.filter { $0 != " " && $0 != "\t" }
        }
        guard let current, wanted.contains("*") || wanted.contains(current) else {
            throw Problem(.preconditionFailed)
        }
    }
}
