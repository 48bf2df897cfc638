import Runtime

/// One thing that `sineta` can be told to do.
struct Command: Sendable {
    /// One or two words: `serve`, `user create`.
    let name: String
    /// What it does, as a clause that begins in lower case.
    let summary: String
    /// What more there is to know, in whole sentences; may be empty.
    var discussion: String = ""
    /// What must follow the name, in order.
    var operands: [Operand] = []
    var options: [Option] = []
    var signals = Signals.end

    /// What SIGTERM and SIGINT do to it.
    enum Signals: Sendable {
        /// They end the process, as they do to any.
        case end
        /// The first asks it to stop, the next ends it.
        case stop
        /// The first asks it to stop, the second to stop at once, the third ends it.
        case stopInSteps
    }
    let run: @Sendable (Invocation) async throws -> ExitCode

    struct Operand: Sendable {
        /// As it stands in the help: `EMAIL`.
        let name: String
        let help: String
        var isOptional = false
    }

    struct Option: Sendable {
        /// With its dashes: `--home`.
        let name: String
        /// What the value is, `DIR`; nil for a switch.
        var value: String?
        let help: String
    }
}

/// A command as somebody called it.
struct Invocation: Sendable {
    let operands: [String]
    private let options: [String: String]
    let environment: [String: String]
    /// Begins at SIGTERM or SIGINT for a command that runs until stopped, else never.
    var shutdown = Shutdown()
    /// Begins at the second of those signals.
    var hurry = Shutdown()

    init(operands: [String], options: [String: String], environment: [String: String]) {
        self.operands = operands
        self.options = options
        self.environment = environment
    }

    func has(_ option: String) -> Bool { options[option] != nil }
    func value(_ option: String) -> String? { options[option] }
}

/// What a caller learns from the number: the names of sysexits.h where it has them.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The command line is not one of those that the help lists.
    case usage = 64
    /// The database or another part cannot be reached.
    case unavailable = 69
    /// Somebody else is at it; later it may go.
    case busy = 75
    /// The environment is faulty.
    case configuration = 78
}

/// An end with words for the person at the terminal: one line that says what to do.
struct CommandFault: Error, CustomStringConvertible {
    let code: ExitCode
    let words: String

    init(_ code: ExitCode, _ words: String) {
        self.code = code
        self.words = words
    }

    var description: String { words }
}
