import COpenSSL
import Values

/// What went wrong in TLS or below, in words that are safe to print.
struct TLSFault: Error, Equatable {
    let words: String
}

/// The settings that the TLS connections of one client or server share (SSL_CTX_new(3)).
final class TLSContext: @unchecked Sendable {
    // @unchecked: OpenSSL counts references and locks; nothing is changed after init.
    let pointer: OpaquePointer

    private init(_ method: OpaquePointer?) throws(TLSFault) {
        guard let pointer = SSL_CTX_new(method) else { throw TLSFault.last("no TLS context") }
        self.pointer = pointer
        _ = sineta_ssl_ctx_set_min_tls12(pointer)
        _ = sineta_ssl_ctx_set_stream_modes(pointer)
        _ = sineta_ssl_ctx_set_read_ahead(pointer)
        SSL_CTX_set_default_read_buffer_len(pointer, 64 << 10)
    }

    deinit { SSL_CTX_free(pointer) }

    /// For clients: the peer's chain must lead to what is trusted.
    convenience init(trusting trust: HTTP2Trust) throws(TLSFault) {
        try self.init(TLS_client_method())
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw TLSFault.last("cannot read the system's certificates")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_file(pointer, path) == 1 else {
                throw TLSFault.last("cannot read certificates from \(path)")
            }
        }
        let protocols = Array("\u{2}h2".utf8)
        _ = SSL_CTX_set_alpn_protos(pointer, protocols, UInt32(protocols.count))
    }

    /// For servers.
    ///
    /// - Parameter offersHTTP2: false leaves ALPN out, for trying a client against such a peer.
    convenience init(_ identity: HTTP2Identity, offersHTTP2: Bool) throws(TLSFault) {
        try self.init(TLS_server_method())
        try use(certificates: identity.certificate)
        try use(key: identity.key)
        if offersHTTP2 { SSL_CTX_set_alpn_select_cb(pointer, selectHTTP2, nil) }
    }

    private func use(certificates pem: String) throws(TLSFault) {
        let bytes = Array(pem.utf8)
        guard let memory = BIO_new_mem_buf(bytes, Int32(bytes.count)) else {
            throw TLSFault.last("no memory")
        }
        defer { BIO_free(memory) }
        guard let own = PEM_read_bio_X509(memory, nil, nil, nil) else {
            throw TLSFault.last("no certificate in PEM")
        }
        defer { X509_free(own) }
        guard SSL_CTX_use_certificate(pointer, own) == 1 else {
            throw TLSFault.last("certificate is not usable")
        }
        while let next = PEM_read_bio_X509(memory, nil, nil, nil) {
            guard sineta_ssl_ctx_add_chain(pointer, next) == 1 else {
                X509_free(next)
                throw TLSFault.last("chain is not usable")
            }
        }
        // The end of the file is an error to the reader.
        ERR_clear_error()
    }

    private func use(key pem: Secret<String>) throws(TLSFault) {
        let bytes = Array(pem.reveal().utf8)
        guard let memory = BIO_new_mem_buf(bytes, Int32(bytes.count)) else {
            throw TLSFault.last("no memory")
        }
        defer { BIO_free(memory) }
        guard let key = PEM_read_bio_PrivateKey(memory, nil, nil, nil) else {
            throw TLSFault.last("no private key in PEM")
        }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(pointer, key) == 1 else {
            throw TLSFault.last("private key does not fit the certificate")
        }
    }
}

extension TLSFault {
    /// The first error of OpenSSL's queue, which is emptied.
    static func last(_ fallback: String) -> TLSFault {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else {
            return TLSFault(words: fallback)
        }
        return TLSFault(words: "\(fallback): \(String(cString: reason))")
    }
}

/// SSL_CTX_set_alpn_select_cb(3): takes `h2` when the client offers it, and else goes on without.
private func selectHTTP2(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredLength: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered else { return SSL_TLSEXT_ERR_NOACK }
    var index = 0
    while index < Int(offeredLength) {
        let length = Int(offered[index])
        guard index + 1 + length <= Int(offeredLength) else { break }
        if length == 2, offered[index + 1] == UInt8(ascii: "h"),
            offered[index + 2] == UInt8(ascii: "2")
        {
            selected?.pointee = offered + index + 1
            selectedLength?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + length
    }
    return SSL_TLSEXT_ERR_NOACK
}
