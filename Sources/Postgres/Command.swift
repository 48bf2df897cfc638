import CPostgres
import Glibc
import Runtime

/// Runs a program of the system and waits for it.
struct Command {
    struct Outcome {
        let status: Int32
        let output: String

        var lastLine: String {
            output.split(separator: "\n").last.map(String.init) ?? "exit status \(status)"
        }
    }

    let path: String
    let arguments: [String]

    /// Standard output and error together, and the exit status; nil when the program cannot be
    /// started. At `deadline` it is killed. The calling thread waits.
    func run(deadline: Deadline) -> Outcome? {
        var ends: [Int32] = [-1, -1]
        // A pair of sockets can be made close-on-exec in one step; a pipe only behind _GNU_SOURCE.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let process = spawn(output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard let process else { return nil }
        let output = drain(ends[0], deadline)
        if output.isCutShort { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        // WIFEXITED and WEXITSTATUS are macros.
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return Outcome(status: code, output: String(decoding: output.bytes, as: UTF8.self))
    }

    private func spawn(output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // Ours may be a folder that the other user cannot enter.
        sineta_spawn_in(&actions, "/")
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The process blocks the signals that end it; its children must not inherit that. A group
        // of its own keeps the terminal's Ctrl-C from them.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LC_ALL=C"), nil,
        ]
        defer { for word in environment { free(word) } }
        var process = pid_t()
        let result = posix_spawn(&process, path, &actions, &attributes, &words, &environment)
        return result == 0 ? process : nil
    }

    private func drain(
        _ descriptor: Int32, _ deadline: Deadline
    ) -> (bytes: [UInt8], isCutShort: Bool) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, deadline.pollMilliseconds)
            if ready == 0 { return (bytes, true) }
            if ready < 0, errno == EINTR { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count <= 0 { return (bytes, false) }
            bytes.append(contentsOf: chunk[..<count])
        }
    }
}
