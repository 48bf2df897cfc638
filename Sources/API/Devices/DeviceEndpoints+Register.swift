import Alerts
import JSON
import Postgres
import Storage
import Values

extension DeviceEndpoints {
    /// Registers a token for the calling session, or refreshes what is known of it.
    static let register = Endpoint(
        .post, "/v1/me/devices", "Registers this installation for pushes.",
        access: Access(.person),
        body: .object(
            .required("platform", .oneOf(open: ["ios", "android"])),
            .required("token", .text(1...DeviceToken.longest)),
            .optional("app_version", .nullable(.text(0...100))),
            .optional("device_name", .nullable(.text(0...100))),
            .optional("locale", .nullable(.text(1...100))),
            .optional("environment", .nullable(.oneOf(["production", "sandbox"]))),
            .optional("install_id", .nullable(.text(1...100))),
            .optional(
                "capabilities", .nullable(.list(of: .text(1...100), count: 0...100)))),
        responses: [
            Response(201, "A new device.", DeviceShapes.device),
            Response(200, "The token was known.", DeviceShapes.device),
        ], codes: [.sessionEnded], isIdempotent: true
    ) { call, caller, transaction in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let registration = try registration(call.body)
        let answer = try Devices.register(
            registration, id: DeviceID(.v7()), in: transaction)
        let (id, status) =
            switch answer {
            case .created(let id): (id, 201)
            case .known(let id), .moved(let id): (id, 200)
            case .sessionEnded: throw Problem(.sessionEnded)
            }
        guard let line = try Devices.find(id, of: person.id, in: transaction) else {
            throw Problem(.notFound)
        }
        return .json(status) { DeviceShapes.write(line, current: true, to: &$0) }
    }

    /// Every fault of the token and the locale at once.
    private static func registration(_ body: Body) throws(Problem) -> DeviceRegistration {
        let platform = try body.text("platform")
        let isApple = platform == "ios"
        let text = try body.text("token")
        var faults: [FieldFault] = []
        let token = isApple ? DeviceToken.apns(text) : DeviceToken.fcm(text)
        if token == nil {
            let words =
                isApple
                ? "must be 8 to 200 bytes in hexadecimal digits"
                : "must be printable ASCII without white space, at most \(DeviceToken.longest) bytes"
            faults.append(FieldFault(pointer: "/token", code: .format, message: words))
        }
        var locale = Change<String>.unchanged
        do throws(Problem) {
            locale = try Locales.change(body, "locale")
        } catch {
            faults += error.errors
        }
        guard faults.isEmpty, let token else { throw .invalid(faults) }
        var registration = DeviceRegistration(
            platform: platform, transport: isApple ? "apns" : "fcm", app: "default",
            token: Secret(token))
        registration.locale = locale
        if isApple { registration.environment = try change(body, "environment") }
        registration.appVersion = try change(body, "app_version")
        registration.deviceName = try change(body, "device_name")
        registration.installID = try change(body, "install_id")
        switch try body.change("capabilities") {
        case .unchanged: break
        case .none: registration.capabilities = .none
        case .value(let value):
            registration.capabilities = .value(value.array?.compactMap(\.text) ?? [])
        }
        return registration
    }

    private static func change(
        _ body: Body, _ name: String
    ) throws(Problem) -> Change<String> {
        switch try body.change(name) {
        case .unchanged: .unchanged
        case .none: .none
        case .value(let value): value.text.map { .value($0) } ?? .unchanged
        }
    }
}
