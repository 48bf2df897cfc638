import Cryptography
import Storage
public import Values

/// Makes cursors opaque, and tells its own from others: a cursor belongs to one list of one store
/// or person, since the path is part of its signature.
public struct CursorSigner: Sendable {
    private let key: [UInt8]

    public init(secret: Secret<String>) {
        key = HMAC.sha256(key: Array(secret.reveal().utf8), data: Array("cursor".utf8))
    }

    func seal(_ cursor: Cursor<UUID>, list: String) -> String {
        let body = Self.bytes(cursor)
        return Base64URL.encode(body + signature(body, list))
    }

    func open(_ text: String, list: String) -> Cursor<UUID>? {
        guard let bytes = Base64URL.decode(text), bytes.count == 24 + 12 else { return nil }
        let body = Array(bytes.prefix(24))
        guard constantTimeEqual(signature(body, list), Array(bytes.dropFirst(24))),
            let id = UUID(bytes: body.dropFirst(8))
        else { return nil }
        let time = body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Cursor(time: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }

    private static func bytes(_ cursor: Cursor<UUID>) -> [UInt8] {
        let word = UInt64(bitPattern: cursor.time.microseconds)
        let time = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: word >> UInt64($0))
        }
        return time + cursor.id.bytes
    }

    private func signature(_ body: [UInt8], _ list: String) -> [UInt8] {
        Array(HMAC.sha256(key: key, data: body + Array(list.utf8)).prefix(12))
    }
}
