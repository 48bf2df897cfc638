import Runtime

/// Runs something that blocks on a thread made for it, for rare work such as migrations.
enum OwnThread {
    static func run<Value: Sendable, Failure: Error>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await handedOver { handOver in
            Threads.start(name) {
                do throws(Failure) {
                    handOver(.success(try body()))
                } catch {
                    handOver(.failure(error))
                }
            }
        }
        return try outcome.get()
    }
}
