import Runtime

extension Shutdown {
    /// Runs `body`, and gives nil as soon as the process is asked to end: what the body waits for
    /// then ends by its own deadline, with nobody listening, and its task is cancelled to say so.
    func race<Result: Sendable>(
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let (answers, answer) = AsyncStream.makeStream(of: Result?.self)
        let work = Task { answer.yield(await body()) }
        let alarm = Task { [self] in
            await wait()
            answer.yield(nil)
        }
        var iterator = answers.makeAsyncIterator()
        let first = await iterator.next() ?? nil
        work.cancel()
        alarm.cancel()
        return first
    }
}
