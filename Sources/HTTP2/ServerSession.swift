import CNghttp2

/// nghttp2's side of a server connection: the callbacks, and how a session is made.
enum ServerSession {
    static func make(for connection: ServerConnection, maxStreams: UInt32) -> OpaquePointer? {
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_closed_streams(options, 1)
        var session: OpaquePointer?
        let owner = Unmanaged.passUnretained(connection).toOpaque()
        guard nghttp2_session_server_new2(&session, callbacks, owner, options) == 0,
            let session
        else { return nil }
        submitLimit(session, maxStreams)
        // The streams' own windows bound each request; together they may be many.
        nghttp2_session_set_local_window_size(session, sineta_flag_none(), 0, 16 << 20)
        return session
    }

    static func submitLimit(_ session: OpaquePointer, _ maxStreams: UInt32) {
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                value: maxStreams)
        ]
        nghttp2_submit_settings(session, sineta_flag_none(), settings, 1)
    }

    /// Never freed: one for the process, read only.
    nonisolated(unsafe) private static let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginRequest)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, takeRequestHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, takeRequestData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, takeRequestFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closeRequest)
        return callbacks
    }()

    static func stream(_ session: OpaquePointer?, _ id: Int32) -> ServerStream? {
        nghttp2_session_get_stream_user_data(session, id).map {
            Unmanaged<ServerStream>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

private func connection(_ owner: UnsafeMutableRawPointer?) -> ServerConnection? {
    owner.map { Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue() }
}

private func beginRequest(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    let id = frame.pointee.hd.stream_id
    connection(owner)?.began(ServerStream(id))
    return 0
}

private func takeRequestHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?, _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?, _ valueLength: Int,
    _: UInt8, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let stream = ServerSession.stream(session, frame.pointee.hd.stream_id)
    else { return 0 }
    stream.headerBytes += nameLength + valueLength
    guard stream.headerBytes <= connection(owner)?.headerLimit ?? 0 else {
        // nghttp2 resets the stream and goes on with the connection.
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    stream.take(
        UnsafeBufferPointer(start: name, count: nameLength),
        UnsafeBufferPointer(start: value, count: valueLength))
    return 0
}

private func takeRequestData(
    _ session: OpaquePointer?, _: UInt8, _ id: Int32, _ bytes: UnsafePointer<UInt8>?,
    _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let stream = ServerSession.stream(session, id), !stream.isTooLarge else { return 0 }
    if stream.body.count + count > connection(owner)?.bodyLimit ?? 0 {
        stream.isTooLarge = true
        stream.body = []
    } else {
        stream.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
    return 0
}

private func takeRequestFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let header = frame?.pointee.hd else { return 0 }
    let type = UInt32(header.type)
    guard type == NGHTTP2_DATA.rawValue || type == NGHTTP2_HEADERS.rawValue,
        header.flags & sineta_flag_end_stream() != 0,
        let stream = ServerSession.stream(session, header.stream_id)
    else { return 0 }
    connection(owner)?.requestCame(stream)
    return 0
}

private func closeRequest(
    _ session: OpaquePointer?, _ id: Int32, _: UInt32, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    guard let stream = ServerSession.stream(session, id) else { return 0 }
    connection(owner)?.ended(stream)
    return 0
}
