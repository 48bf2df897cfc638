import CCurl
import Runtime

/// One request on one easy handle, on the calling thread
/// (https://curl.se/libcurl/c/libcurl-easy.html).
final class WebTransfer {
    let isLoopback: Bool
    private let limit: Int
    private var body: [UInt8] = []
    private var head: [String] = []
    private var received = 0
    /// The guard of sockets has refused an address.
    var isBarred = false

    static func run(
        _ request: WebRequest, caPath: String?, limit: Int, deadline: Deadline
    ) throws(WebFailure) -> WebResponse {
        guard !deadline.hasPassed else { throw .timeout }
        guard let handle = curl_easy_init() else { throw .interrupted("no handle") }
        defer { curl_easy_cleanup(handle) }
        let transfer = WebTransfer(isLoopback: request.url.isLoopback, limit: limit)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        list = try headers(of: request)
        let codes =
            Self.secure(handle, caPath)
            + Self.describe(request, handle, list)
            + transfer.attach(to: handle, deadline)
        if let bad = codes.first(where: { $0 != CURLE_OK }) { throw .interrupted(words(bad)) }
        return try withExtendedLifetime(transfer) { () throws(WebFailure) in
            try transfer.answer(curl_easy_perform(handle), handle)
        }
    }

    private init(isLoopback: Bool, limit: Int) {
        self.isLoopback = isLoopback
        self.limit = limit
    }

    private static func secure(_ handle: UnsafeMutableRawPointer, _ caPath: String?) -> [CURLcode] {
        var codes = [
            sineta_curl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1),
            sineta_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2),
            sineta_curl_set_long(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
            sineta_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            sineta_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
            // No proxy out of the environment: what is called is what is written.
            sineta_curl_set_text(handle, CURLOPT_PROXY, ""),
            // Signals for timeouts of name look-ups belong to programs of one thread.
            sineta_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
        ]
        if let caPath {
            codes.append(sineta_curl_set_text(handle, CURLOPT_CAINFO, caPath))
            // Otherwise the system's folder of authorities stays trusted beside the file.
            codes.append(sineta_curl_set_text(handle, CURLOPT_CAPATH, nil))
        }
        return codes
    }

    private static func describe(
        _ request: WebRequest, _ handle: UnsafeMutableRawPointer,
        _ headers: UnsafeMutablePointer<curl_slist>?
    ) -> [CURLcode] {
        var codes = [
            sineta_curl_set_text(handle, CURLOPT_URL, request.url.text),
            sineta_curl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS),
            sineta_curl_set_headers(handle, headers),
        ]
        if let body = request.body {
            codes.append(sineta_curl_set_body(handle, body, body.count))
        }
        if request.method == "HEAD" {
            codes.append(sineta_curl_set_long(handle, CURLOPT_NOBODY, 1))
        } else {
            codes.append(sineta_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method))
        }
        return codes
    }

    private func attach(to handle: UnsafeMutableRawPointer, _ deadline: Deadline) -> [CURLcode] {
        let this = Unmanaged.passUnretained(self).toOpaque()
        return [
            sineta_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, max(1, Int(deadline.pollMilliseconds))),
            sineta_curl_set_receiver(
                handle, CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, receiveBody, this),
            sineta_curl_set_receiver(
                handle, CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, receiveHeader, this),
            sineta_curl_set_socket_opener(handle, openSocket, this),
        ]
    }

    private static func headers(
        of request: WebRequest
    ) throws(WebFailure) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        // Off: curl would wait a second for a 100 that nobody sends.
        for header in [(name: "Expect", value: "")] + request.headers {
            let line = "\(header.name): \(header.value)"
            let isSafe = line.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
            // curl takes a name with an empty value as the wish to send no such header.
            guard isSafe, let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw .malformed
            }
            list = longer
        }
        return list
    }

    fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        guard received <= limit else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    fileprivate func take(header bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        guard received <= limit else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        // A status line begins anew: what came before was a 1xx.
        if line.hasPrefix("HTTP/") { head = [] } else { head.append(line) }
        return true
    }

    private func answer(
        _ code: CURLcode, _ handle: UnsafeMutableRawPointer
    ) throws(WebFailure) -> WebResponse {
        guard code == CURLE_OK else { throw failure(code) }
        var status = 0
        guard sineta_curl_status(handle, &status) == CURLE_OK else {
            throw .interrupted("no status")
        }
        return WebResponse(status: status, headers: head.compactMap(Self.header), body: body)
    }

    private static func header(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let value = line[line.utf8.index(after: colon)...]
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        let start = value.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }
        return (String(line[..<colon]), end.map { String(start[...$0]) } ?? "")
    }

    private func failure(_ code: CURLcode) -> WebFailure {
        let words = Self.words(code)
        if isBarred { return .notAllowed("its name leads to this machine or its links") }
        if received > limit { return .tooLarge }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY:
            return .unreachable(words)
        case CURLE_OPERATION_TIMEDOUT: return .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
            return .tls(words)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: return .notAllowed(words)
        default: return .interrupted(words)
        }
    }

    private static func words(_ code: CURLcode) -> String {
        String(cString: curl_easy_strerror(code))
    }
}

/// libcurl's callbacks: a count other than the one given ends the transfer.
private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    receive(bytes, size * count, context) { $0.take(body: $1) }
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    receive(bytes, size * count, context) { $0.take(header: $1) }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (WebTransfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let isTaken = take(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
    return isTaken ? count : 0
}
