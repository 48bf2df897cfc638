import Glibc

/// Where the lines of a log go, and how many of them did not get there.
///
/// A full disk or a reader that went away ends nothing: the service goes on without the line, and
/// the count is the alarm. A descriptor that blocks holds up its writer.
public final class LogOutput: Sendable {
    /// Descriptor 2.
    public static let standardError = LogOutput(2)

    private let descriptor: Int32
    private let missing = Lock(0)

    /// - Parameter descriptor: stays the caller's to close.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Lines that were not written whole, since the start.
    public var lost: Int { missing.withLock { $0 } }

    /// Writes the line and its break, in one call of write(2) unless the system takes only a part.
    public func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        let isWhole = Self.deliver(bytes) { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if !isWhole { missing.withLock { $0 += 1 } }
    }

    /// Declares `sineta_log_lines_lost_total` and keeps it up to date.
    public func countLost(in metrics: Metrics) {
        let counter = metrics.counter(
            "sineta_log_lines_lost_total",
            "Lines of the log that could not be written, as to a full disk.")
        let told = Lock(0)
        metrics.sample { [self] in
            told.withLock { told in
                let lost = lost
                counter.add(Double(lost - told))
                told = lost
            }
        }
    }

    /// Writes until all is written or nothing more is taken.
    ///
    /// - Parameter write: write(2) for what is left: how much it took, or less than 0 and `errno`.
    /// - Returns: whether all was written.
    static func deliver(_ bytes: [UInt8], _ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = write(UnsafeRawBufferPointer(rebasing: bytes[done...]))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }
}
