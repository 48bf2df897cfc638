import Foundation
import TestKit

/// The working copy that these tests were built from, read as text.
enum Repository {
    static func path(_ relative: String) -> String { SourceTree.path(relative) }

    static func text(_ relative: String) throws -> String {
        try String(contentsOfFile: path(relative), encoding: .utf8)
    }

    /// All files below a folder with one of the endings (all endings when none is given), sorted.
    static func files(below folder: String, _ endings: String...) throws -> [String] {
        let skipped: Set<String> = [".build", ".git", ".venv", "__pycache__", ".hypothesis"]
        var found: [String] = []
        var folders = [folder]
        while let next = folders.popLast() {
            for name in try FileManager.default.contentsOfDirectory(atPath: path(next)) {
                guard !skipped.contains(name) else { continue }
                let file = next.isEmpty ? name : "\(next)/\(name)"
                let attributes = try FileManager.default.attributesOfItem(atPath: path(file))
                if attributes[.type] as? FileAttributeType == .typeDirectory {
                    folders.append(file)
                } else if endings.isEmpty || endings.contains(where: { name.hasSuffix($0) }) {
                    found.append(file)
                }
            }
        }
        return found.sorted()
    }

    /// The names right below a folder, sorted.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }

    /// The modules that a Swift file imports.
    static func imports(of file: String) throws -> Set<String> {
        let pattern =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/#
            .anchorsMatchLineEndings()
        return Set(try text(file).matches(of: pattern).map { String($0.output.1) })
    }

    /// What Package.swift lets each room import.
    static func declaredRooms() throws -> [String: Set<String>] {
        let manifest = try text("Package.swift").replacing(#/\s+/#, with: " ")
        var rooms: [String: Set<String>] = [:]
        let rules = [
            #/room\( ?"(\w+)", \[([^\]]*)\]/#,
            #/\.executableTarget\( ?name: "(\w+)", dependencies: \[([^\]]*)\]/#,
        ]
        for rule in rules {
            for match in manifest.matches(of: rule) {
                let names = match.output.2.matches(of: #/"(\w+)"/#).map { String($0.output.1) }
                rooms[String(match.output.1)] = Set(names)
            }
        }
        return rooms
    }
}
