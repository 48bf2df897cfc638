import Glibc

/// A file operation that failed: what was tried on which path, and errno's words.
public struct FileFault: Error, Sendable, CustomStringConvertible {
    public let path: String
    /// `read`, `write`, `make folder`, `list`.
    public let operation: String
    /// The errno.
    public let code: Int32

    public var description: String {
        "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    }
}

/// The few things that are done with files.
public enum Files {
    /// The whole file, at most `limit` bytes of it.
    public static func read(_ path: String, limit: Int = 64 << 20) throws(FileFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault(path, "read") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw fault(path, "read")
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    /// The whole file as UTF-8; broken sequences become U+FFFD.
    public static func readText(_ path: String) throws(FileFault) -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    /// Puts the file in place whole: written beside it, synced, renamed.
    public static func write(
        _ bytes: some Collection<UInt8>, to path: String, mode: UInt32 = 0o644
    ) throws(FileFault) {
        let beside = "\(path).\(getpid()).new"
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw fault(path, "write") }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = fault(path, "write")
                close(descriptor)
                unlink(beside)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, close(descriptor) == 0,
            rename(beside, path) == 0
        else {
            let error = fault(path, "write")
            unlink(beside)
            throw error
        }
    }

    /// Makes the folder and those above it; one that exists is left as it is.
    public static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(FileFault) {
        var prefix = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            prefix +=
                part.isEmpty ? "/" : (prefix.isEmpty || prefix.hasSuffix("/") ? "" : "/") + part
            guard !part.isEmpty, !exists(prefix) else { continue }
            guard mkdir(prefix, mode) == 0 || errno == EEXIST else {
                throw fault(prefix, "make folder")
            }
        }
    }

    /// Whether this process finds it, may write it, may run it (access(2)); a broken link is not
    /// there.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    public static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// Unlinks a file; one that is not there is removed already.
    public static func remove(_ path: String) { unlink(path) }

    /// The names in a folder, sorted, without `.` and `..`.
    public static func list(_ path: String) throws(FileFault) -> [String] {
        guard let directory = opendir(path) else { throw fault(path, "list") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func fault(_ path: String, _ operation: String) -> FileFault {
        FileFault(path: path, operation: operation, code: errno)
    }
}
