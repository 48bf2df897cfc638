import Glibc
import Runtime

@main
enum Main {
    /// Signals are arranged before any other thread exists, since threads inherit what is blocked;
    /// the work then runs on Swift's pool while this thread sleeps.
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let program = Program(commands: Commands.all)
        guard let run = program.prepare(words) else { return }
        Task.detached {
            let code = await run()
            // No destructors at exit: other threads still use what they would take down.
            _exit(code.rawValue)
        }
        while true { pause() }
    }
}
