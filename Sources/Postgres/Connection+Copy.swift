import CPostgres
import Runtime

extension Connection {
    /// Sends rows to `COPY … FROM STDIN (FORMAT binary)`, some 64 KiB at a time
    /// (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format").
    ///
    /// - Returns: how many rows the server took.
    func copyIn(
        _ sql: StaticSQL, _ rows: some Sequence<[PostgresValue]>, deadline: Deadline
    ) throws(PostgresError) -> Int {
        if isBroken { throw lostError }
        if deadline.hasPassed { throw .timeout }
        let wait = Wait(until: min(deadline, .after(statementTimeout)), cancelling: true)
        // COPY is the one thing that libpq does not pipeline.
        guard PQexitPipelineMode(pointer) == 1, PQsendQuery(pointer, sql.cString) == 1 else {
            throw lose()
        }
        guard let start = try nextResult(wait) else { throw lose() }
        var failure: PostgresError?
        if PQresultStatus(start.pointer) == PGRES_COPY_IN {
            failure = try stream(rows, wait)
        } else if case .failure(let error) = outcome(of: start, after: nil) {
            failure = error
        } else {
            failure = .decoding("the statement is no COPY FROM STDIN")
        }
        var count = 0
        while let handle = try nextResult(wait) {
            switch outcome(of: handle, after: failure) {
            case .success(let result): count = result.affected
            case .failure(let error): failure = failure ?? error
            }
            if isBroken { break }
        }
        if let failure, isBroken { throw failure }
        guard PQenterPipelineMode(pointer) == 1 else { throw lose() }
        answered()
        if let failure { throw failure }
        return count
    }

    /// - Returns: why the copying was called off, if it was.
    private func stream(
        _ rows: some Sequence<[PostgresValue]>, _ wait: Wait
    ) throws(PostgresError) -> PostgresError? {
        var buffer = CopyFormat.header
        for row in rows {
            guard CopyFormat.append(row, to: &buffer) else {
                try end("a value cannot be copied", wait)
                return .decoding("COPY takes no numeric and at most 32,767 columns")
            }
            if buffer.count > 65_536 {
                try put(buffer, wait)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        buffer.append(contentsOf: CopyFormat.trailer)
        try put(buffer, wait)
        try end(nil, wait)
        return nil
    }

    private func put(_ bytes: [UInt8], _ wait: Wait) throws(PostgresError) {
        try repeatUntilTaken(wait) {
            bytes.withUnsafeBytes { buffer in
                PQputCopyData(
                    pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(buffer.count))
            }
        }
    }

    private func end(_ words: String?, _ wait: Wait) throws(PostgresError) {
        try repeatUntilTaken(wait) { PQputCopyEnd(pointer, words) }
    }

    /// libpq answers 0 while its buffer is full and the socket takes no more.
    private func repeatUntilTaken(
        _ wait: Wait, _ attempt: () -> Int32
    ) throws(PostgresError) {
        while true {
            let taken = attempt()
            if taken > 0 { return }
            if taken < 0 { throw lose() }
            try flush(wait)
        }
    }
}

enum CopyFormat {
    /// The signature, no flags, no extension.
    static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// A tuple of -1 columns.
    static let trailer: [UInt8] = [0xFF, 0xFF]

    /// Appends a row: the number of columns, and each value behind its length. False for a value
    /// that has no binary form here.
    static func append(_ row: [PostgresValue], to bytes: inout [UInt8]) -> Bool {
        guard let count = Int16(exactly: row.count) else { return false }
        bytes.appendBigEndian(count)
        for value in row {
            switch value {
            case .null, .nullOf: bytes.appendBigEndian(Int32(-1))
            case .numeric: return false
            default:
                let start = bytes.count
                bytes.appendBigEndian(Int32(0))
                bytes.appendPostgres(value)
                bytes.setLength(at: start)
            }
        }
        return true
    }
}
