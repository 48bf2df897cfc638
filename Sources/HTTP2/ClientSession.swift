import CNghttp2
import Glibc

/// nghttp2's side of a client connection: the callbacks, and how a session is made.
enum ClientSession {
    /// A session that reports to the connection, which must outlive it.
    static func make(for connection: ClientConnection) -> OpaquePointer? {
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_closed_streams(options, 1)
        var session: OpaquePointer?
        let owner = Unmanaged.passUnretained(connection).toOpaque()
        guard nghttp2_session_client_new2(&session, callbacks, owner, options) == 0,
            let session
        else { return nil }
        let settings = [
            entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 16 << 10),
        ]
        nghttp2_submit_settings(session, sineta_flag_none(), settings, settings.count)
        // A thousand answers may be under way at once; the streams' own windows bound each.
        nghttp2_session_set_local_window_size(session, sineta_flag_none(), 0, 1 << 20)
        return session
    }

    private static func entry(
        _ id: nghttp2_settings_id, _ value: UInt32
    ) -> nghttp2_settings_entry {
        nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: value)
    }

    /// Never freed: one for the process, read only.
    nonisolated(unsafe) private static let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, takeHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, takeData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, takeFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closeStream)
        return callbacks
    }()

    static func exchange(_ session: OpaquePointer?, _ stream: Int32) -> Exchange? {
        nghttp2_session_get_stream_user_data(session, stream).map {
            Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

private func connection(_ owner: UnsafeMutableRawPointer?) -> ClientConnection? {
    owner.map { Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue() }
}

private func beginHeaders(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    if let frame { ClientSession.exchange(session, frame.pointee.hd.stream_id)?.headerBytes = 0 }
    return 0
}

private func takeHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?, _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?, _ valueLength: Int,
    _: UInt8, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let name, let value,
        let exchange = ClientSession.exchange(session, frame.pointee.hd.stream_id)
    else { return 0 }
    exchange.headerBytes += nameLength + valueLength
    guard exchange.headerBytes <= connection(owner)?.responseHeaderLimit ?? 0 else {
        exchange.isTooLarge = true
        // nghttp2 resets the stream and goes on with the connection.
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    let text = String(
        decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
    if name[0] == UInt8(ascii: ":") {
        // The one pseudo-header of a response. After an interim one (1xx) all begins anew.
        exchange.response.status = Int(text) ?? 0
        exchange.response.headers = []
    } else {
        let name = String(
            decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
        exchange.response.headers.append(HTTP2Header(name, text))
    }
    return 0
}

private func takeData(
    _ session: OpaquePointer?, _: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?,
    _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let exchange = ClientSession.exchange(session, stream), !exchange.isTooLarge,
        !exchange.isDone
    else { return 0 }
    guard exchange.response.body.count + count <= connection(owner)?.responseBodyLimit ?? 0 else {
        exchange.isTooLarge = true
        nghttp2_submit_rst_stream(
            session, sineta_flag_none(), stream, NGHTTP2_CANCEL.rawValue)
        return 0
    }
    exchange.response.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    return 0
}

private func takeFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
        guard header.flags & sineta_flag_end_stream() != 0,
            let exchange = ClientSession.exchange(session, header.stream_id)
        else { break }
        exchange.isEnded = true
        if exchange.bodyOffset < exchange.request.body.count {
            // The answer is there; the rest of the request interests nobody (RFC 9113 section 8.1).
            nghttp2_submit_rst_stream(
                session, sineta_flag_none(), header.stream_id, NGHTTP2_CANCEL.rawValue)
        }
    case NGHTTP2_SETTINGS.rawValue:
        if header.flags & sineta_flag_ack() == 0 { connection(owner)?.settingsCame() }
    case NGHTTP2_GOAWAY.rawValue:
        let goaway = frame.pointee.goaway
        let words = String(
            decoding: UnsafeBufferPointer(start: goaway.opaque_data, count: goaway.opaque_data_len),
            as: UTF8.self)
        connection(owner)?.goawayCame(
            lastStream: goaway.last_stream_id, code: goaway.error_code, words: words)
    default: break
    }
    return 0
}

private func closeStream(
    _ session: OpaquePointer?, _ stream: Int32, _ code: UInt32, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let pointer = nghttp2_session_get_stream_user_data(session, stream) else { return 0 }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    connection(owner)?.streamClosed(exchange, code: code)
    return 0
}

/// nghttp2_data_source_read_callback: the next piece of a request's body.
func readRequestBody(
    _: OpaquePointer?, _: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _: UnsafeMutableRawPointer?
) -> Int {
    guard let pointer = source?.pointee.ptr, let buffer else { return 0 }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    let count = min(capacity, exchange.request.body.count - exchange.bodyOffset)
    exchange.request.body.withUnsafeBufferPointer { body in
        if count > 0, let start = body.baseAddress {
            buffer.update(from: start + exchange.bodyOffset, count: count)
        }
    }
    exchange.bodyOffset += count
    if exchange.bodyOffset == exchange.request.body.count {
        flags?.pointee |= sineta_data_flag_eof()
    }
    return count
}
