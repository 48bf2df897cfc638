import Alerts
import Postgres
import Runtime
import Storage
import Values

extension Command {
    static let explain = Command(
        name: "explain", summary: "says of an alert who heard it, who did not, and why",
        discussion: """
            A sentence per person: what was decided, and what became of each push with the provider's own
            words. It names people, and never tells what an alert says.
            """,
        operands: [Operand(name: "ALERT", help: "the alert's id, which is its event's")],
        run: { invocation in
            guard let alert = AlertID(invocation.operands[0]) else {
                throw CommandFault(
                    .usage, "ALERT must be a UUID, as the answer to its event has it")
            }
            let configuration = try Configuration(invocation.environment)
            let log = configuration.log.make()
            let database = try Database.running(configuration, log)
            let pool = PostgresPool(database.application, name: "explain", size: 1, log: log)
            let explanation: Explanation?
            do {
                explanation = try await pool.transaction(
                    deadline: .after(.seconds(30)), preamble: Entry.preamble(role: .worker)
                ) { try Explanation(alert, in: $0) }
            } catch let error as PostgresError {
                throw Database.fault(error)
            }
            await pool.close()
            guard let explanation else {
                throw CommandFault(.failed, "there is no alert \(alert), or it is no longer kept")
            }
            for line in explanation.lines { Terminal.line(line) }
            return .done
        })
}
