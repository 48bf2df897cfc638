import COpenSSL

/// How OpenSSL is called: its errors pile up in a queue per thread, so the queue is emptied before
/// a call and read after it (https://www.openssl.org/docs/man3.0/man3/ERR_get_error.html).
/// Otherwise an old error of another subject explains the new failure.
enum OpenSSL {
    /// A call that makes something: nil is failure.
    static func make<Result>(
        _ operation: StaticString, _ call: () -> Result?
    ) throws(CryptographyFault) -> Result {
        ERR_clear_error()
        guard let result = call() else { throw fault(operation) }
        return result
    }

    /// A call that answers 1 for success.
    static func check(_ operation: StaticString, _ call: () -> Int32) throws(CryptographyFault) {
        ERR_clear_error()
        guard call() == 1 else { throw fault(operation) }
    }

    /// A call whose failure is an ordinary answer; what it leaves in the queue is of no interest.
    static func attempt<Result>(_ call: () -> Result) -> Result {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return call()
    }

    private static func fault(_ operation: StaticString) -> CryptographyFault {
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return CryptographyFault(operation: "\(operation)", reason: reason ?? "")
    }
}

/// A memory BIO: the library's way to take and give text.
final class MemoryBIO {
    let pointer: OpaquePointer

    init() throws(CryptographyFault) {
        pointer = try OpenSSL.make("make a buffer") { BIO_new(BIO_s_mem()) }
    }

    init(_ bytes: [UInt8]) throws(CryptographyFault) {
        pointer = try OpenSSL.make("make a buffer") { BIO_new(BIO_s_mem()) }
        let written = BIO_write(pointer, bytes, Int32(bytes.count))
        guard written == bytes.count else {
            throw CryptographyFault(operation: "fill a buffer", reason: "")
        }
    }

    deinit { BIO_free_all(pointer) }

    var text: String {
        var start: UnsafeMutablePointer<CChar>?
        let count = sineta_bio_bytes(pointer, &start)
        guard let start, count > 0 else { return "" }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        return String(decoding: bytes, as: UTF8.self)
    }
}
