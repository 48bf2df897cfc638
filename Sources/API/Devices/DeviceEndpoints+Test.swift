import Alerts
import JSON
import Postgres
import Storage
import Values

extension DeviceEndpoints {
    /// The push goes out between two transactions, since none may wait for a provider.
    static func test(_ parts: Parts) -> Endpoint {
        let test = DeviceTest(wording: parts.wording, providers: parts.providers)
        return Endpoint(
            .post, "/v1/me/devices/{device}/test", "Sends a test push at once.",
            access: Access(.person),
            responses: [
                Response(
                    200, "The provider took it.",
                    .object([
                        .required("device_id", .uuid), .required("provider", .text),
                        .required("provider_message_id", .text),
                    ]))
            ],
            codes: [
                .deviceInactive, .pushTokenInvalid, .pushProviderError, .pushNotConfigured,
                .rateLimited,
            ], isIdempotent: true
        ) { call, entrance in
            let device: DeviceID = try call.path.id("device")
            return try await entrance.once { caller, transaction in
                let target = try own(device, caller, in: transaction)
                try call.charge(call.services.limits.deviceTests, to: device.uuid)
                guard target.line.isActive else { throw Problem(.deviceInactive) }
                return target
            } doing: { target in
                try await test.send(to: target, now: call.now)
            } then: { result, target, caller, transaction in
                try note(result, target, caller, in: transaction)
                return Result { () throws(Problem) in try answer(result, target.line) }
            }
        }
    }

    private static func own(
        _ device: DeviceID, _ caller: Caller, in transaction: PostgresTransaction
    ) throws -> Devices.Target {
        guard let person = caller.person,
            let target = try Devices.target(device, of: person.id, in: transaction)
        else { throw Problem(.notFound) }
        return target
    }

    /// Keeps what the provider said. A device that has registered again meanwhile is another one
    /// than the provider spoke of.
    private static func note(
        _ result: DeviceTest.Result, _ target: Devices.Target, _ caller: Caller,
        in transaction: PostgresTransaction
    ) throws(PostgresError) {
        let device = target.line.id
        guard let person = caller.person,
            let now = try Devices.target(device, of: person.id, in: transaction),
            now.line.lastRegisteredAt == target.line.lastRegisteredAt
        else { return }
        switch result {
        case .accepted:
            try Devices.note(device, of: person.id, error: nil, in: transaction)
        case .failed(let word):
            try Devices.note(device, of: person.id, error: word.reason, in: transaction)
        case .invalid(let word):
            _ = try Devices.remove(
                device, reason: .providerRejected, providerReason: word.reason, in: transaction)
        }
    }

    private static func answer(
        _ result: DeviceTest.Result, _ line: DeviceLine
    ) throws(Problem) -> Answer {
        switch result {
        case .accepted(let messageID):
            return .json(200) { writer in
                writer.beginObject()
                writer.member("device_id", line.id.description)
                writer.member("provider", line.transport)
                writer.member("provider_message_id", messageID)
                writer.endObject()
            }
        case .invalid(let word):
            throw Problem(
                .pushTokenInvalid, "The device is deleted: register it again.",
                members: [("error", word.reason)])
        case .failed(let word):
            throw Problem(.pushProviderError, members: [("error", word.reason)])
        }
    }
}
