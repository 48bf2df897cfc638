import CNghttp2

/// A request as it comes in, and the body of its response as it goes out.
final class ServerStream {
    let id: Int32
    var method = ""
    var path = ""
    var authority = ""
    var headers: [HTTP2Header] = []
    var headerBytes = 0
    var body: [UInt8] = []
    var isTooLarge = false
    var response: [UInt8] = []
    var responseOffset = 0

    init(_ id: Int32) { self.id = id }

    func take(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let text = String(decoding: value, as: UTF8.self)
        guard name.first == UInt8(ascii: ":") else {
            headers.append(HTTP2Header(String(decoding: name, as: UTF8.self), text))
            return
        }
        // The pseudo-headers differ in their second letter or their length.
        switch (name.count, name[1]) {
        case (7, UInt8(ascii: "m")): method = text
        case (5, UInt8(ascii: "p")): path = text
        case (10, UInt8(ascii: "a")): authority = text
        default: break
        }
    }
}

/// nghttp2_data_source_read_callback: the next piece of a response's body.
func readResponseBody(
    _: OpaquePointer?, _: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _: UnsafeMutableRawPointer?
) -> Int {
    guard let pointer = source?.pointee.ptr, let buffer else { return 0 }
    let stream = Unmanaged<ServerStream>.fromOpaque(pointer).takeUnretainedValue()
    let count = min(capacity, stream.response.count - stream.responseOffset)
    stream.response.withUnsafeBufferPointer { body in
        if count > 0, let start = body.baseAddress {
            buffer.update(from: start + stream.responseOffset, count: count)
        }
    }
    stream.responseOffset += count
    if stream.responseOffset == stream.response.count { flags?.pointee |= sineta_data_flag_eof() }
    return count
}
