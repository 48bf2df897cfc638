import JSON
import Testing

/// A generator whose runs can be repeated: SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Damaged JSON")
struct DamageTests {
    static let document = Array(
        #"{"id":"e","data":{"total":{"amount":"1","n":-1.5e3},"é🛒":[null,true,"\u00e9\ud83d\uded2"]}}"#
            .utf8)

    @Test("damage at any byte is refused or read, and what is read writes and reads back equal")
    func damaged() throws {
        var random = Seeded(state: 42)
        for _ in 0..<5000 {
            var bytes = Self.document
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
                }
            }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            #expect(try JSONValue.parse(value.encoded) == value)
        }
    }
}
