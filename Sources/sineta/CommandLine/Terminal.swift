import Glibc
import Runtime

/// What the process says to the person or script that called it; records go to the log instead.
enum Terminal {
    /// To standard output, as it is.
    static func write(_ text: String) { send(text, to: 1) }

    static func line(_ text: String) { send(text + "\n", to: 1) }

    /// To standard error, each line with the program's name before it.
    static func complain(_ words: String) {
        for line in words.split(separator: "\n") { send("sineta: \(line)\n", to: 2) }
    }

    /// To standard error, as it is.
    static func aside(_ text: String) { send(text, to: 2) }

    private static func send(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that went away (a closed pipe) wants no more.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The environment as the kernel gave it to this process (proc(5)); `environ` itself is a mutable
/// global that another thread may be changing.
enum ProcessEnvironment {
    static func read() throws(FileFault) -> [String: String] {
        var values: [String: String] = [:]
        for entry in try Files.read("/proc/self/environ").split(separator: 0) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            values[name] = String(decoding: entry[(equals + 1)...], as: UTF8.self)
        }
        return values
    }
}
