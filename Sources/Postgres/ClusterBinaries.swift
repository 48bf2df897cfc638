import Runtime

/// Finds PostgreSQL's programs.
struct ClusterBinaries: Sendable {
    /// The folder that holds `initdb`, `pg_ctl` and `postgres`.
    let folder: String

    static let debianRoot = "/usr/lib/postgresql"

    /// The newest of Debian's versions, or the first on `searchPath`.
    ///
    /// - Parameter version: the major version that existing data needs.
    init(
        version: String?, root: String = ClusterBinaries.debianRoot, searchPath: String? = nil
    ) throws(ClusterError) {
        let versions = Self.versions(in: root).filter { version == nil || $0 == version }
        var candidates = versions.map { "\(root)/\($0)/bin" }
        // What is on the path has no version in its name; the server checks the data's itself.
        candidates += searchPath?.split(separator: ":").map(String.init) ?? []
        guard let found = candidates.first(where: Self.isComplete) else {
            throw .binariesMissing(version: version)
        }
        folder = found
    }

    private static func versions(in root: String) -> [String] {
        do throws(FileFault) {
            return try Files.list(root).filter { Int($0) != nil }
                .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        } catch {
            // No such folder: not Debian, or not installed.
            return []
        }
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy { Files.isExecutable("\(folder)/\($0)") }
    }
}
