import JSON

/// Any bytes are refused, or are a value that its own encoding gives again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Fuzz.bytes(start, count)
    do {
        let value = try JSONValue.parse(input)
        let encoded = value.encoded
        Fuzz.expect((try? JSONValue.parse(encoded)) == value, "an encoding gives the value again")
        Fuzz.expect(
            (try? JSONValue.parse(encoded))?.encoded == encoded, "an encoding encodes to itself")
    } catch {
        Fuzz.expect((0...count).contains(error.offset), "a fault lies within the input")
    }
    return 0
}
