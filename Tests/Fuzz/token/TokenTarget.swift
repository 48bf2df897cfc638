import Cryptography
import Values

/// Any text is refused or is a token; a token made of 32 bytes is one, and with any byte changed is
/// none: a checksum of 32 bits sees every change within 32 bits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Fuzz.bytes(start, count)
    let text = String(decoding: input, as: UTF8.self)
    if TokenFormat.storeAPI.check(text) {
        Fuzz.expect(text.utf8.count == 53, "a token has 53 characters")
    }
    let (random, change) = Fuzz.cut(input, 32)
    let token = TokenFormat.storeAPI.make(from: random).reveal()
    Fuzz.expect(TokenFormat.storeAPI.check(token), "what is made is good")
    if change.count >= 2 {
        var bytes = Array(token.utf8)
        let place = Int(change[0]) % bytes.count
        guard bytes[place] != change[1] else { return 0 }
        bytes[place] = change[1]
        let changed = String(decoding: bytes, as: UTF8.self)
        Fuzz.expect(!TokenFormat.storeAPI.check(changed), "a changed token is refused")
    }
    return 0
}
