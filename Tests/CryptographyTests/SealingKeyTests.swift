import Cryptography
import Testing
import Values

@Suite("Sealed values")
struct SealingKeyTests {
    let key: SealingKey
    let context = Array("device:1".utf8)

    init() throws {
        key = try #require(SealingKey(Secret(SecureRandom.bytes(32))))
    }

    @Test(
        "what is sealed opens with the same key and context", arguments: [0, 1, 15, 16, 17, 5000])
    func opens(count: Int) throws {
        let plain = SecureRandom.bytes(count)
        let sealed = try key.seal(Secret(plain), context: context)
        #expect(sealed.count == count + 28)
        #expect(try key.open(sealed, context: context).reveal() == plain)
    }

    @Test("another context, another key or any changed byte does not open")
    func doesNotOpen() throws {
        let sealed = try key.seal(Secret([1, 2, 3]), context: context)
        #expect(throws: SealFault.self) { try key.open(sealed, context: []) }
        let other = SealingKey(deriving: "other", from: Secret([1]))
        #expect(throws: SealFault.self) { try other.open(sealed, context: context) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SealFault.self) { try key.open(changed, context: context) }
        }
        for count in sealed.indices {
            #expect(throws: SealFault.self) {
                try key.open(Array(sealed.prefix(count)), context: context)
            }
        }
    }

    @Test("one text sealed twice looks different each time")
    func nonce() throws {
        let first = try key.seal(Secret([1]), context: context)
        let second = try key.seal(Secret([1]), context: context)
        #expect(first != second)
    }

    @Test("a key has 32 bytes")
    func keyLength() {
        #expect(SealingKey(Secret([1, 2, 3])) == nil)
    }
}
