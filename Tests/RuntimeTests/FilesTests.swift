import Foundation
import Runtime
import TestKit
import Testing

@Suite("Files") struct FilesTests {
    /// A folder of its own, gone after `body`.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder("files")
        defer { folder.remove() }
        try body(folder.path)
    }

    @Test("come back as they were written, and only the named file is left")
    func roundTrip() throws {
        try withFolder { folder in
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try Files.write(bytes, to: "\(folder)/a")
            #expect(try Files.read("\(folder)/a") == bytes)
            try Files.write("é".utf8, to: "\(folder)/a")
            #expect(try Files.readText("\(folder)/a") == "é")
            #expect(try Files.list(folder) == ["a"])
        }
    }

    @Test("get the mode that was asked for, also when they were there before")
    func mode() throws {
        try withFolder { folder in
            try Files.write([1], to: "\(folder)/secret", mode: 0o644)
            try Files.write([2], to: "\(folder)/secret", mode: 0o600)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/secret")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("make the folders above a folder, and leave one that exists")
    func folders() throws {
        try withFolder { folder in
            try Files.makeDirectory("\(folder)/x/y/z")
            try Files.write([], to: "\(folder)/x/y/z/kept")
            try Files.makeDirectory("\(folder)/x/y/z")
            #expect(try Files.list("\(folder)/x/y/z") == ["kept"])
        }
    }

    @Test("say what was tried on which path when it fails")
    func faults() throws {
        try withFolder { folder in
            let fault = #expect(throws: FileFault.self) { try Files.read("\(folder)/none") }
            #expect(fault?.description == "cannot read \(folder)/none: No such file or directory")
            try Files.write([], to: "\(folder)/file")
            let inFile = #expect(throws: FileFault.self) {
                try Files.makeDirectory("\(folder)/file/below")
            }
            #expect(
                inFile?.description == "cannot make folder \(folder)/file/below: Not a directory")
        }
    }
}
