import API
import Glibc
import Runtime

/// From the words of the command line to an exit code.
struct Program: Sendable {
    let commands: [Command]

    /// Answers at once what needs no work (help, the version, a line that is not understood), and
    /// gives back the rest to be run. A wrong line ends the process.
    func prepare(_ words: [String]) -> (@Sendable () async -> ExitCode)? {
        do {
            let environment = try ProcessEnvironment.read()
            switch try CommandLineParser(commands: commands).parse(words, environment: environment)
            {
            case .help(let topic):
                Terminal.write(Help.of(topic, among: commands))
                return nil
            case .version:
                Terminal.line("sineta \(API.version)")
                return nil
            case .variables:
                Terminal.write(Help.variables(Configuration.variables))
                return nil
            case .run(let command, var invocation):
                switch command.signals {
                case .end: break
                case .stop: invocation.shutdown = .onSignals()
                case .stopInSteps: invocation.shutdown = .onSignals(hurry: invocation.hurry)
                }
                return { [invocation] in await Self.run(command, invocation) }
            }
        } catch {
            exit(Self.report(error).rawValue)
        }
    }

    private static func run(_ command: Command, _ invocation: Invocation) async -> ExitCode {
        do {
            return try await command.run(invocation)
        } catch {
            return report(error)
        }
    }

    /// One line for the person at the terminal; errors of all rooms print safely.
    private static func report(_ error: any Error) -> ExitCode {
        Terminal.complain("\(error)")
        switch error {
        case let fault as CommandFault: return fault.code
        case is ConfigurationFaults: return .configuration
        default: return .failed
        }
    }
}
