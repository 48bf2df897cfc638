import Glibc
import Runtime
import Values

/// Where an embedded cluster keeps its things, and as whom it runs.
struct ClusterPaths: Sendable {
    /// Made by the server's user: everything below `home` that is PostgreSQL's.
    let folder: String
    /// A socket's path has 108 bytes at most (unix(7)), a home may have more: so it stands apart.
    let sockets: String
    /// Set when this process is root: the server refuses to run so.
    let user: ServerUser?

    struct ServerUser: Sendable {
        let name: String
        let uid: uid_t
        let gid: gid_t
    }

    var data: String { folder + "/data" }
    var log: String { folder + "/log" }
    var lock: String { folder + "/lock" }
    var socket: String { sockets + "/.s.PGSQL.5432" }
    var pidFile: String { data + "/postmaster.pid" }
    var settings: String { data + "/sineta.conf" }

    /// Makes the folder. It and the socket's are closed to everybody but the server's user (and
    /// root): who can reach the socket is let in.
    init(home: String) throws(ClusterError) {
        do throws(FileFault) {
            try Files.makeDirectory(home)
        } catch {
            throw .folder("\(error): choose another SINETA_HOME or mend its permissions")
        }
        guard let path = realpath(home, nil) else {
            throw .folder("cannot find \(home): choose another SINETA_HOME")
        }
        defer { free(path) }
        folder = String(cString: path) + "/postgres"
        let digest = Hex.encode(
            withUnsafeBytes(of: Checksum(endMarked: folder).value.bigEndian, Array.init))
        sockets = "/tmp/sineta-\(digest)"
        user = geteuid() == 0 ? try Self.find("postgres") : nil
        try makePrivate(folder)
    }

    /// Makes the socket's folder for a server that is about to start.
    func makeSocketFolder() throws(ClusterError) { try makePrivate(sockets) }

    /// Removes it when nothing is in it: a home that is deleted leaves nothing in /tmp then.
    func removeSocketFolder() { rmdir(sockets) }

    private static func find(_ name: String) throws(ClusterError) -> ServerUser {
        guard let entry = getpwnam(name) else { throw .userMissing(name) }
        return ServerUser(name: name, uid: entry.pointee.pw_uid, gid: entry.pointee.pw_gid)
    }

    private func makePrivate(_ path: String) throws(ClusterError) {
        let owner = user?.uid ?? geteuid()
        if mkdir(path, 0o700) == 0 {
            if let user, chown(path, user.uid, user.gid) != 0 {
                throw .folder("cannot give \(path) to \(user.name): check its file system")
            }
            return
        }
        guard errno == EEXIST else {
            throw .folder("cannot make \(path): choose another SINETA_HOME or mend its permissions")
        }
        // /tmp belongs to everybody: a folder that somebody else put there is not ours to trust.
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == owner, status.st_mode & 0o077 == 0
        else { throw .folder("\(path) belongs to somebody else or is open to others: remove it") }
    }
}
