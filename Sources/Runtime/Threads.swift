import Glibc

/// Threads of our own, for calls that wait: nothing that blocks runs on Swift's cooperative pool.
public enum Threads {
    /// Starts a detached thread that runs `body` once. The name shows in `top -H`, cut at 15 bytes.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        let result = create(start.toOpaque())
        // Without threads nothing here can keep its promises; the system's limit is the operator's.
        precondition(result == 0, "cannot start thread \(name): error \(result)")
    }

    private static func create(_ start: UnsafeMutableRawPointer) -> Int32 {
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runThread, start)
        if result == 0 { pthread_detach(thread) }
        return result
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// A free function, since a closure that is passed to C may be taken for isolated (and, given to
/// pthread_create in place, crashes the compiler of Swift 6.3).
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    setName(start.name)
    start.body()
    return nil
}

/// pthread_setname_np stands behind _GNU_SOURCE, which the Glibc module leaves out; a thread that
/// cannot be named runs all the same.
private func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    let bytes = Array(name.utf8.prefix(15))
    _ = write(file, bytes, bytes.count)
    close(file)
}
