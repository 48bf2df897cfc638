import Foundation
import Glibc

/// A folder for the files of a test, gone with the last reference to it. A local one is removed by
/// `defer`: the compiler may end its life after its last use.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter word: what it is for, to be seen by whoever finds one.
    public init(_ word: String) throws {
        path =
            FileManager.default.temporaryDirectory.appending(
                path: "sineta-\(word)-\(UUID().uuidString.lowercased())"
            ).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { remove() }

    /// For what all tests of the process share; gone when the process ends.
    public static let ofProcess = Result { () throws -> TemporaryFolder in
        let folder = try TemporaryFolder("tests")
        atexit(removeFolderOfProcess)
        return folder
    }

    /// Writes a file and gives its whole path.
    public func write(_ text: String, as name: String) throws -> String {
        let file = "\(path)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// What cannot be removed is only a file too many in the system's folder.
    public func remove() { try? FileManager.default.removeItem(atPath: path) }
}

private func removeFolderOfProcess() {
    if case .success(let folder) = TemporaryFolder.ofProcess { folder.remove() }
}
