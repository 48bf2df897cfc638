import Glibc

/// posix_spawn(3), which starts a program without copying this process and its locks.
enum Spawn {
    /// Starts a program with some descriptors of ours, standard output and error, and no input.
    ///
    /// - Parameters:
    ///   - group: the process group to join; 0 founds one.
    ///   - descriptors: the program's number for each of ours.
    /// - Returns: the process and 0, or the error's number.
    static func program(
        _ path: String, _ words: [String], _ environment: [String], group: pid_t,
        descriptors: KeyValuePairs<Int32, Int32>
    ) -> (pid: pid_t, error: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (theirs, ours) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, ours, theirs)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var standard = sigset_t()
        sigemptyset(&standard)
        sigaddset(&standard, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &standard)
        posix_spawnattr_setpgroup(&attributes, group)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let error = withStrings(words) { argv in
            withStrings(environment) { envp in
                posix_spawn(&pid, path, &actions, &attributes, argv, envp)
            }
        }
        return (pid, error)
    }

    /// An array of C strings with a null at its end, alive for `body`.
    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
