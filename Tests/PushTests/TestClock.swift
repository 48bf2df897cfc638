import Push
import Runtime
import Values

/// A clock that stands until it is moved.
final class TestClock: Sendable {
    private let time = Lock(Timestamp(seconds: 1_793_000_000))

    var now: Timestamp { time.withLock { $0 } }
    var push: PushClock { PushClock { [self] in now } }

    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
    func advance(minutes: Int) { advance(.seconds(minutes * 60)) }
}
