import Testing

/// The drawing of ARCHITECTURE.md as values: a plain build lets an undeclared import of a sibling
/// pass, and a manifest may be widened without anybody noticing.
@Suite("Who may import whom") struct ImportTests {
    private static let kits: Set<String> = [
        "Values", "Runtime", "JSON", "Postgres", "HTTPServer", "HTTP2", "WebClient", "Cryptography",
        "MessageFormat",
    ]
    /// Who opens which door.
    private static let doors: [String: Set<String>] = [
        "CPostgres": ["Postgres"], "COpenSSL": ["HTTP2", "Cryptography"], "CNghttp2": ["HTTP2"],
        "CCurl": ["WebClient"], "CMicrohttpd": ["HTTPServer"], "CArgon2": ["Cryptography"],
        "CJansson": ["JSON"], "CICU": ["MessageFormat"],
    ]
    /// The most that each room may know; kits may know `Values`, `Runtime` and `JSON`.
    private static let house: [String: Set<String>] = [
        "Alerts": ["Values", "JSON"],
        "Texts": ["Runtime", "MessageFormat", "Alerts"],
        "Jobs": ["Values", "Runtime", "JSON", "Postgres"],
        "Storage": ["Values", "Runtime", "JSON", "Postgres", "Alerts", "Jobs"],
        "Push": ["Values", "Runtime", "JSON", "HTTP2", "WebClient", "Cryptography", "Alerts"],
        "API": [
            "Values", "Runtime", "JSON", "HTTPServer", "Cryptography", "Postgres", "Alerts", "Jobs",
            "Storage", "Push",
        ],
        "Worker": [
            "Values", "Runtime", "JSON", "Postgres", "Alerts", "Jobs", "Storage", "Push",
        ],
        "Simulator": ["Values", "Runtime", "JSON", "HTTPServer", "HTTP2", "Cryptography"],
    ]
    /// Modules of the toolchain that any room may use. Foundation is not among them.
    private static let toolchain: Set<String> = ["Glibc", "Synchronization"]

    @Test("the manifest gives no room more than the house does")
    func manifest() throws {
        let rooms = try Repository.declaredRooms()
        #expect(Set(rooms.keys) == Self.kits.union(Self.house.keys).union(["sineta"]))
        for (room, declared) in rooms where room != "sineta" {
            let opened = Self.doors.filter { $0.value.contains(room) }.keys
            let allowed = Self.house[room] ?? ["Values", "Runtime", "JSON"]
            let excess = declared.subtracting(allowed.union(opened))
            #expect(excess.isEmpty, "\(room) may not depend on \(excess.sorted())")
        }
    }

    @Test("no source imports what its room did not declare")
    func sources() throws {
        for (room, declared) in try Repository.declaredRooms() {
            let files = try Repository.files(below: "Sources/\(room)", ".swift")
            #expect(!files.isEmpty, "Sources/\(room) is empty")
            for file in files {
                let excess = try Repository.imports(of: file).subtracting(declared)
                    .subtracting(Self.toolchain)
                #expect(excess.isEmpty, "\(file) imports \(excess.sorted())")
            }
        }
    }

    @Test("every folder of Sources is a room or a door")
    func folders() throws {
        let known = Set(try Repository.declaredRooms().keys).union(Self.doors.keys)
        #expect(Set(try Repository.names(in: "Sources")) == known)
    }

    @Test("a lock is Runtime's: Synchronization.Mutex shows false races under ThreadSanitizer")
    func locks() throws {
        for file in try Repository.files(below: "Sources", ".swift") {
            #expect(try !Repository.text(file).contains(#/\bMutex</#), "\(file)")
            #expect(try !Repository.text(file).contains(#/\bMutex\(/#), "\(file)")
        }
    }
}
