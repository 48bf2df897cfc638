import CPostgres

/// Owns a PGresult, which libpq never changes once made and lets any thread read
/// (https://www.postgresql.org/docs/15/libpq-threading.html).
final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { PQclear(pointer) }
}

/// The rows that a statement gave, in its order, and how many rows it touched.
public struct PostgresRows: Sendable, RandomAccessCollection {
    let handle: ResultHandle
    /// How many rows there are: positions count from 0.
    public let endIndex: Int

    init(_ handle: ResultHandle) {
        self.handle = handle
        endIndex = Int(PQntuples(handle.pointer))
    }

    public var startIndex: Int { 0 }

    /// The row at a position from 0; one that is not there stops the program.
    public subscript(position: Int) -> PostgresRow {
        precondition(position >= 0 && position < endIndex, "row \(position) of \(endIndex)")
        return PostgresRow(handle: handle, index: Int32(position))
    }

    /// The command tag, as `INSERT 0 1`, `COMMIT`.
    public var tag: String {
        PQcmdStatus(handle.pointer).map { String(cString: $0) } ?? ""
    }

    /// Rows inserted, changed, deleted or, for a SELECT, given; 0 for other statements.
    public var affected: Int {
        PQcmdTuples(handle.pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The names of the columns.
    public var columns: [String] {
        (0..<PQnfields(handle.pointer)).map { index in
            PQfname(handle.pointer, index).map { String(cString: $0) } ?? ""
        }
    }
}
