import Glibc
import Runtime
import Values

/// `SINETA_HOME`: what one `up` keeps, held by one `up` at a time.
///
/// The lock is the kernel's (flock(2)), so it ends with the process however that ends.
final class HomeFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Makes the folder and takes it.
    ///
    /// - Throws: `CommandFault` that says what to do: another `up` has it, or it cannot be written.
    init(_ path: String) throws(CommandFault) {
        do throws(FileFault) {
            try Files.makeDirectory("\(path)/run")
        } catch {
            throw Self.unwritable(path, "\(error)")
        }
        let file = "\(path)/run/lock"
        lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw Self.unwritable(path, "cannot write \(file): \(String(cString: strerror(errno)))")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw CommandFault(
                .busy, "another sineta up runs in \(path): stop it, or set SINETA_HOME to another")
        }
        self.path = path
    }

    deinit { close(lock) }

    /// The secret of this home, made at the first start; only its owner may read it.
    func secret(_ name: String, make: () -> String) throws(FileFault) -> Secret<String> {
        let file = "\(path)/\(name)"
        if Files.exists(file) { return Secret(try Files.readText(file)) }
        let made = make()
        try Files.write(made.utf8, to: file, mode: 0o600)
        return Secret(made)
    }

    private static func unwritable(_ path: String, _ words: String) -> CommandFault {
        CommandFault(
            .configuration, "\(words); set SINETA_HOME to a folder that you may write")
    }
}

/// The children of a home on disk, so that the next `up` finds those that a killed one left.
struct ProcessRecord: Sendable {
    private let file: String

    init(_ home: HomeFolder) {
        file = "\(home.path)/run/processes"
    }

    func write(_ processes: [ProcessIdentity]) throws(FileFault) {
        let lines = processes.map { "\($0.pid) \($0.startedAt)\n" }
        try Files.write(lines.joined().utf8, to: file, mode: 0o600)
    }

    func clear() { Files.remove(file) }

    /// Those of the record that still run.
    func survivors() throws(FileFault) -> [ProcessIdentity] {
        guard Files.exists(file) else { return [] }
        return try Files.readText(file).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ")
            guard numbers.count == 2, let pid = pid_t(numbers[0]), let ticks = UInt64(numbers[1])
            else { return nil }
            let identity = ProcessIdentity(pid: pid, startedAt: ticks)
            return identity.isAlive ? identity : nil
        }
    }

    /// Ends what a killed `up` left: it was asked already when its parent died, so it has little
    /// time left.
    func end(_ survivors: [ProcessIdentity], within time: Duration) async {
        let deadline = Deadline.after(time)
        // A process that somebody stopped (SIGSTOP) takes no other signal until it goes on.
        for each in survivors {
            kill(each.pid, SIGTERM)
            kill(each.pid, SIGCONT)
        }
        while survivors.contains(where: \.isAlive), !deadline.hasPassed {
            // Not our children, so nothing tells of their end. A sleep cut short only asks again.
            try? await Task.sleep(for: .milliseconds(20))
        }
        for each in survivors where each.isAlive { kill(each.pid, SIGKILL) }
    }
}
