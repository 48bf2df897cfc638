import COpenSSL
import Glibc

/// One TLS connection over a non-blocking socket (SSL_new(3)); it owns both.
final class TLSStream {
    enum Progress: Equatable {
        case done
        case wantsRead
        case wantsWrite
    }

    enum Transfer: Equatable {
        case bytes(Int)
        /// Nothing to be had now; the descriptor will say when.
        case wait
        case ended(String)
    }

    let descriptor: Int32
    private let ssl: OpaquePointer

    private init(_ context: TLSContext, _ descriptor: Int32) throws(TLSFault) {
        guard let ssl = SSL_new(context.pointer) else {
            close(descriptor)
            throw TLSFault.last("no TLS connection")
        }
        self.ssl = ssl
        self.descriptor = descriptor
        SSL_set_fd(ssl, descriptor)
    }

    deinit {
        SSL_free(ssl)
        close(descriptor)
    }

    static func accepting(
        _ context: TLSContext, _ descriptor: Int32
    ) throws(TLSFault) -> TLSStream {
        let stream = try TLSStream(context, descriptor)
        SSL_set_accept_state(stream.ssl)
        return stream
    }

    /// - Parameter host: the name that the peer's certificate must carry, or its IP address.
    static func connecting(
        _ context: TLSContext, _ descriptor: Int32, host: String
    ) throws(TLSFault) -> TLSStream {
        let stream = try TLSStream(context, descriptor)
        SSL_set_connect_state(stream.ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream.ssl), host) != 1 {
            // Not an address: SNI carries names only (RFC 6066 section 3).
            SSL_set_hostflags(stream.ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard SSL_set1_host(stream.ssl, host) == 1,
                sineta_ssl_set_host_name(stream.ssl, host) == 1
            else { throw TLSFault.last("host name is not usable") }
        }
        ERR_clear_error()
        return stream
    }

    func handshake() throws(TLSFault) -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        default: throw TLSFault(words: handshakeWords())
        }
    }

    /// Whether both sides agreed on HTTP/2 by ALPN.
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name else { return false }
        return length == 2 && name[0] == UInt8(ascii: "h") && name[1] == UInt8(ascii: "2")
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        ERR_clear_error()
        let result = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        return result > 0 ? .bytes(Int(result)) : outcome(result)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        ERR_clear_error()
        let result = SSL_write(ssl, bytes.baseAddress, Int32(bytes.count))
        return result > 0 ? .bytes(Int(result)) : outcome(result)
    }

    /// Tells the peer that nothing follows, if it can be told at once.
    func sayGoodbye() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }

    private func outcome(_ result: Int32) -> Transfer {
        let code = errno
        switch SSL_get_error(ssl, result) {
        // Renegotiation does not exist in HTTP/2, so both wishes are for the descriptor's next
        // event.
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wait
        case SSL_ERROR_ZERO_RETURN: return .ended("closed by the peer")
        case SSL_ERROR_SYSCALL:
            return .ended(code == 0 ? "closed by the peer" : String(cString: strerror(code)))
        default: return .ended(TLSFault.last("TLS failed").words)
        }
    }

    private func handshakeWords() -> String {
        let verdict = SSL_get_verify_result(ssl)
        if verdict != Int(X509_V_OK), let words = X509_verify_cert_error_string(verdict) {
            ERR_clear_error()
            return "certificate refused: \(String(cString: words))"
        }
        return TLSFault.last("TLS handshake failed").words
    }
}
