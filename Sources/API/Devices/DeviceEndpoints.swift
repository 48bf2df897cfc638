import Storage
import Values

/// The caller's phones.
enum DeviceEndpoints {
    static func endpoints(_ parts: Parts) -> [Endpoint] {
        [register, list, removed, remove, test(parts)]
    }

    private static let list = Endpoint(
        .get, "/v1/me/devices", "The caller's devices, the newest first.",
        access: Access(.person), isPaged: true,
        responses: [.page(of: DeviceShapes.device, "Devices.")],
        reading: { call in [Devices.list(try call.page.of(DeviceSubject.self))] }
    ) { call, caller, rows in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let lines = try Devices.lines(rows[0])
        return try call.page.answer(
            lines, cursor: { Cursor(time: $0.registeredAt, id: $0.id.uuid) }
        ) {
            line, writer in
            DeviceShapes.write(line, current: line.session == person.session, to: &writer)
        }
    }

    private static let removed = Endpoint(
        .get, "/v1/me/devices/removed", "The removals of the last 30 days, newest first.",
        access: Access(.person), isPaged: true,
        responses: [.page(of: DeviceShapes.removed, "Removals.")],
        reading: { call in [Devices.removed(try call.page.of(DeviceSubject.self))] }
    ) { call, _, rows in
        let lines = try Devices.removals(rows[0])
        return try call.page.answer(lines, cursor: { Cursor(time: $0.removedAt, id: $0.id.uuid) }) {
            DeviceShapes.write($0, to: &$1)
        }
    }

    private static let remove = Endpoint(
        .delete, "/v1/me/devices/{device}", "Unregisters one of the caller's devices.",
        access: Access(.person), responses: [Response(204, "It is gone.")]
    ) { call, _, transaction in
        guard try Devices.remove(call.path.id("device"), in: transaction) else {
            throw Problem(.notFound)
        }
        return .noContent
    }
}
