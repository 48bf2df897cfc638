import Foundation
import Glibc
import Runtime

/// Answers every connection on loopback with the same bytes, and keeps what it was asked.
final class ScriptedServer: Sendable {
    enum Script: Sendable {
        case answer(String)
        /// Takes the request and says nothing until the server is gone.
        case silence
        /// Begins an answer and closes.
        case breakOff(String)
    }

    let port: Int
    private let listener: Int32
    private let received = Lock<[String]>([])
    private let held = Lock<[Int32]>([])

    init(_ script: Script) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Threads.start("scripted") { [weak self] in Self.serve(listener, script) { self } }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in held.withLock({ $0 }) { close(connection) }
    }

    var requests: [String] { received.withLock { $0 } }

    private static func serve(
        _ listener: Int32, _ script: Script, _ server: () -> ScriptedServer?
    ) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let request = read(connection)
            guard let server = server() else { return }
            server.received.withLock { $0.append(request) }
            switch script {
            case .silence: server.held.withLock { $0.append(connection) }
            case .answer(let text), .breakOff(let text):
                let bytes = Array(text.utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }

    private static func read(_ connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !isWhole(text) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    private static func isWhole(_ text: String) -> Bool {
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text.range(of: "Content-Length: ").map {
            Int(text[$0.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}
