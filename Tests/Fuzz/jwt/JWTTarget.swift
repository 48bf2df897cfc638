import Cryptography
import JSON
import Values

private let secret = Secret(Array("a secret of the fuzzing run".utf8))
private let key = try? SigningKey.generateP256()

/// Any text is refused or read; only what this key signed verifies, and with another key never.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJWT(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Fuzz.bytes(start, count)
    let text = String(decoding: input, as: UTF8.self)
    read(text)
    guard case .object(let claims)? = try? JSONValue.parse(input) else { return 0 }
    guard let signed = try? JWT.sign(claims: claims, key: .hs256(secret)).reveal() else {
        Fuzz.expect(false, "claims that can be read can be signed")
        return 0
    }
    let verified = try? JWT.verify(signed, with: .hs256(secret))
    Fuzz.expect(verified?.claims == claims, "what was signed verifies")
    let other = try? JWT.verify(signed, with: .hs256(Secret([1])))
    Fuzz.expect(other == nil, "another key verifies nothing")
    return 0
}

/// The text as a token, and as what stands before a signature that has the right length.
private func read(_ text: String) {
    let read = try? JWT.unverified(text)
    let verified = try? JWT.verify(text, with: .hs256(secret))
    Fuzz.expect(verified == nil || verified == read, "what verifies reads the same unverified")
    guard let key else {
        Fuzz.expect(false, "a key can be made")
        return
    }
    let signature = String(repeating: "A", count: 86)
    for token in [text, "\(text).\(signature)"] {
        let forged = try? JWT.verify(token, with: .es256(key.verifyingKey))
        Fuzz.expect(forged == nil, "nothing verifies that was not signed")
    }
}
