/// Finds the command that a command line names and what is said about it.
struct CommandLineParser: Sendable {
    let commands: [Command]

    enum Result: Sendable {
        case run(Command, Invocation)
        case help(Help.Topic)
        case variables
        case version
    }

    /// - Parameter words: without the program's own name.
    func parse(
        _ words: [String], environment: [String: String]
    ) throws(CommandFault) -> Result {
        guard let first = words.first, !Self.isHelp(first) else { return .help(.all) }
        if first == "--version" { return .version }
        if first == "help" { return try help(Array(words.dropFirst())) }
        if words.count == 2, Self.isHelp(words[1]) { return try help([first]) }
        let (command, rest) = try find(words)
        if rest.contains(where: Self.isHelp) { return .help(.command(command)) }
        return .run(command, try invocation(of: command, rest, environment))
    }

    private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    private func help(_ words: [String]) throws(CommandFault) -> Result {
        if words.isEmpty { return .help(.all) }
        if words == ["environment"] { return .variables }
        let family = family(of: words[0])
        if words.count == 1, !family.isEmpty { return .help(.family(word: words[0], family)) }
        return .help(.command(try find(words).command))
    }

    /// The commands that begin with a word and go on: `user create` and its kind.
    private func family(of word: String) -> [Command] {
        commands.filter { $0.name.hasPrefix("\(word) ") }
    }

    private func find(
        _ words: [String]
    ) throws(CommandFault) -> (command: Command, rest: [String]) {
        for count in [2, 1] where words.count >= count {
            let name = words[..<count].joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) {
                return (command, Array(words.dropFirst(count)))
            }
        }
        let family = family(of: words[0]).map(\.name)
        guard family.isEmpty else {
            throw CommandFault(
                .usage, "\(words[0]) wants to know what: \(family.joined(separator: ", "))")
        }
        throw CommandFault(
            .usage, "there is no command \(words[0]); sineta --help lists those there are")
    }

    private func invocation(
        of command: Command, _ words: [String], _ environment: [String: String]
    ) throws(CommandFault) -> Invocation {
        var operands: [String] = []
        var options: [String: String] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw Self.fault(command, "does not know \(name)")
            }
            guard let value = option.value else {
                if parts.count == 2 { throw Self.fault(command, "takes \(name) without a value") }
                options[name] = ""
                continue
            }
            guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw Self.fault(command, "wants \(value) after \(name)")
            }
            options[name] = text
        }
        try Self.check(command, operands)
        return Invocation(operands: operands, options: options, environment: environment)
    }

    private static func check(_ command: Command, _ operands: [String]) throws(CommandFault) {
        let needed = command.operands.filter { !$0.isOptional }
        if operands.count < needed.count {
            throw fault(command, "wants \(needed[operands.count].name)")
        }
        if operands.count > command.operands.count {
            throw fault(command, "has no use for \(operands[command.operands.count])")
        }
    }

    private static func fault(_ command: Command, _ words: String) -> CommandFault {
        CommandFault(.usage, "\(command.name) \(words); see sineta \(command.name) --help")
    }
}
