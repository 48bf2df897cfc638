/// The texts of `--help`, made from the declarations of the commands.
enum Help {
    /// What help was asked for.
    enum Topic: Sendable {
        /// What each command is for.
        case all
        /// The same of those that begin with one word, as `user create` and its kind.
        case family(word: String, [Command])
        /// All that there is to know of one.
        case command(Command)
    }

    /// - Parameter all: every command that there is.
    static func of(_ topic: Topic, among all: [Command]) -> String {
        switch topic {
        case .all: overview(all)
        case .family(let word, let commands): family(word, commands)
        case .command(let command): of(command)
        }
    }

    private static func family(_ word: String, _ commands: [Command]) -> String {
        """
        Usage: sineta \(word) COMMAND [OPTIONS]

        \(table(commands.map { ($0.name, $0.summary) }))

        sineta \(word) COMMAND --help tells more of one command.

        """
    }

    private static func overview(_ commands: [Command]) -> String {
        let rows = commands.map { ($0.name, $0.summary) }
        return """
            Sineta tells merchants what happened in their stores, through APNs and FCM.

            Usage: sineta COMMAND [OPTIONS]

            \(table(rows))

            sineta COMMAND --help tells more of one command,
            sineta help environment lists every variable of the environment,
            sineta --version says which version this is.

            Exit codes: 0 done, 1 failed, 64 a command line that is not understood,
            69 the database or another part is away, 75 somebody else is at it,
            78 a faulty environment.

            """
    }

    static func of(_ command: Command) -> String {
        let operands = command.operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        let usage = (["sineta", command.name] + operands).joined(separator: " ")
        var text = "Usage: \(usage)\(command.options.isEmpty ? "" : " [OPTIONS]")\n\n"
        text += "\(command.name) \(command.summary).\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        let rows =
            command.operands.map { ($0.name, $0.help) }
            + command.options.map { ($0.name + ($0.value.map { " \($0)" } ?? ""), $0.help) }
        if !rows.isEmpty { text += "\n\(table(rows))\n" }
        return text
    }

    static func variables(_ variables: [Variable]) -> String {
        variables.map { variable in
            let standard = variable.standard.isEmpty ? "unset" : variable.standard
            return """
                \(variable.name)
                    \(variable.effect)
                    \(variable.form); default: \(standard)

                """
        }.joined().filter { $0 != "`" }
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = (rows.map { $0.0.count }.max() ?? 0) + 2
        return rows.map { name, words in
            "  \(name)\(String(repeating: " ", count: width - name.count))\(words)"
        }.joined(separator: "\n")
    }
}
