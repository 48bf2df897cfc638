import Storage
import Values

private let signer = CursorSigner(secret: Secret("a secret of the fuzzing run"))

/// Any text is refused as a cursor unless this signer sealed it for this list; what it sealed opens
/// to the same place, and for another list or with a bit turned to none.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCursor(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Fuzz.bytes(start, count)
    let text = String(decoding: input, as: UTF8.self)
    if let cursor = signer.open(text, list: "/list") {
        Fuzz.expect(signer.seal(cursor, list: "/list") == text, "only what was sealed opens")
    }
    let (head, change) = Fuzz.cut(input, 24)
    guard let id = UUID(bytes: head.dropFirst(8)) else { return 0 }
    let time = head.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let cursor = Cursor(time: Timestamp(microseconds: time), id: id)
    let sealed = signer.seal(cursor, list: "/list")
    Fuzz.expect(signer.open(sealed, list: "/list") == cursor, "what was sealed opens")
    Fuzz.expect(signer.open(sealed, list: "/other") == nil, "a cursor belongs to one list")
    if change.count >= 2, var bytes = Base64URL.decode(sealed) {
        bytes[Int(change[0]) % bytes.count] ^= change[1] | 1
        let changed = Base64URL.encode(bytes)
        Fuzz.expect(signer.open(changed, list: "/list") == nil, "a changed cursor is refused")
    }
    return 0
}
