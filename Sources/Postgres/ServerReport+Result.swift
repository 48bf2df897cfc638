import CPostgres

extension ServerReport {
    /// The fields of an error result; the SQLSTATE is empty when libpq itself reports.
    init(_ handle: ResultHandle) {
        self.init(result: handle.pointer)
    }

    init(result: OpaquePointer) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        self.init(
            sqlState: field(sineta_diag_sqlstate()) ?? "",
            message: field(sineta_diag_message())
                ?? ErrorText.firstLine(PQresultErrorMessage(result)),
            detail: field(sineta_diag_detail()), hint: field(sineta_diag_hint()),
            schema: field(sineta_diag_schema()), table: field(sineta_diag_table()),
            column: field(sineta_diag_column()), constraint: field(sineta_diag_constraint()),
            sourceFunction: field(sineta_diag_source_function()))
    }
}

/// What the server said without being asked. libpq would print it to standard error.
final class NoticeBox {
    /// The wait for a standby was cut short: the commit stands here and perhaps nowhere else.
    private(set) var sawReplicationWaitEnd = false
    /// The server is ending this connection.
    private(set) var sawServerGone = false

    func reset() { sawReplicationWaitEnd = false }

    /// The box must live as long as the connection; the connection owns it.
    func attach(to connection: OpaquePointer) {
        _ = PQsetNoticeReceiver(
            connection, receiveNotice, Unmanaged.passUnretained(self).toOpaque())
    }

    func receive(_ report: ServerReport) {
        if report.sourceFunction == "SyncRepWaitForLSN" { sawReplicationWaitEnd = true }
        if report.meansServerIsGone { sawServerGone = true }
    }
}

private func receiveNotice(_ box: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let box, let result else { return }
    Unmanaged<NoticeBox>.fromOpaque(box).takeUnretainedValue()
        .receive(ServerReport(result: result))
}
