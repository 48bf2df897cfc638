import Testing

@testable import WebClient

@Suite("Addresses that are called")
struct WebURLTests {
    @Test(
        "https to any host, http to loopback alone",
        arguments: [
            ("https://oauth2.googleapis.com/token", "https://oauth2.googleapis.com:443/token"),
            ("HTTPS://Example.COM", "https://example.com:443/"),
            ("https://h:8443/a?b=c", "https://h:8443/a?b=c"),
            ("http://localhost:8093/token", "http://localhost:8093/token"),
            ("http://127.0.0.1/", "http://127.0.0.1:80/"),
            ("http://0x7f.1/", "http://127.0.0.1:80/"),
            ("https://[::1]:1/x", "https://[::1]:1/x"),
        ])
    func allowed(text: String, read: String) throws {
        #expect(try WebURL(text).text == read)
    }

    @Test(
        "everything else is not allowed",
        arguments: [
            "", "oauth2.googleapis.com/token", "http://example.com/", "http://169.254.169.254/",
            "http://127.0.0.1.example.com/", "http://localhost.example.com/", "ftp://localhost/",
            "file:///etc/passwd", "https://user:pass@example.com/", "https://",
            "gopher://127.0.0.1:25/", "http://10.0.0.1/",
        ])
    func refused(text: String) {
        #expect(throws: WebFailure.self) { try WebURL(text) }
    }

    @Test("an address prints without its query")
    func prints() throws {
        #expect("\(try WebURL("https://h/a?secret=1"))" == "https://h:443/a")
    }
}

@Suite("Sockets that are opened")
struct SocketGuardTests {
    @Test(
        "no public name leads to this machine or its links",
        arguments: [
            (0x7F00_0001, true), (0x7FFF_FFFF, true), (0xA9FE_A9FE, true), (0, true),
            (0xE000_0001, true), (0xFFFF_FFFF, true), (0x0808_0808, false), (0x0A00_0001, false),
            (0xA9FD_0001, false),
        ])
    func v4(address: UInt32, isForbidden: Bool) {
        #expect(SocketGuard.isForbidden(v4: address) == isForbidden)
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        let bytes = withUnsafeBytes(of: address.bigEndian) { mapped + $0 }
        #expect(SocketGuard.isForbidden(v6: bytes) == isForbidden)
    }

    @Test("the same in IPv6")
    func v6() {
        func address(_ first: UInt8, _ second: UInt8, last: UInt8) -> [UInt8] {
            [first, second] + [UInt8](repeating: 0, count: 13) + [last]
        }
        #expect(SocketGuard.isForbidden(v6: address(0, 0, last: 0)))
        #expect(SocketGuard.isForbidden(v6: address(0, 0, last: 1)))
        #expect(SocketGuard.isForbidden(v6: address(0xFE, 0x80, last: 1)))
        #expect(SocketGuard.isForbidden(v6: address(0xFF, 0x02, last: 1)))
        #expect(!SocketGuard.isForbidden(v6: address(0x20, 0x01, last: 1)))
    }
}
