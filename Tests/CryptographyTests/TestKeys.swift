import Cryptography
import Foundation
import Values

/// Keys of the test process, made when first needed: RSA takes its time.
enum TestKeys {
    static let rsa: SigningKey = made { try SigningKey.generateRSA() }
    static let rsaPEM: String = made { try rsa.pem().reveal() }
    /// On a curve that Apple does not use; the library's own command makes it.
    static let p384PEM: String = made {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("a test key cannot be made: \(error)") }
    }
}
