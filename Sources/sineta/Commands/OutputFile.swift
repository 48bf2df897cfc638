import Glibc

/// A file that a command writes for the person who called it.
final class OutputFile {
    private let path: String
    private var descriptor: Int32

    /// Makes it, or empties the one that is there.
    init(_ path: String) throws(CommandFault) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        if descriptor < 0 { throw Self.fault(path, "opened") }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    func write(_ bytes: [UInt8]) throws(CommandFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.fault(path, "written") }
            rest = rest.dropFirst(count)
        }
    }

    /// A disk that is full may say so only here.
    func close() throws(CommandFault) {
        let result = Glibc.close(descriptor)
        descriptor = -1
        if result != 0 { throw Self.fault(path, "written") }
    }

    private static func fault(_ path: String, _ done: String) -> CommandFault {
        CommandFault(.failed, "\(path) cannot be \(done): \(String(cString: strerror(errno)))")
    }
}
