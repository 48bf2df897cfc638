import Alerts
import JSON
import Jobs
import Postgres
import Push
import Runtime
import Storage
import Values

/// The credentials towards Apple and Google.
enum ProviderEndpoints {
    static func endpoints(_ parts: Parts) -> [Endpoint] { [list(parts), check(parts)] }

    private static let place: [Field] = [
        .required("provider", .text), .required("environment", .nullable(.text)),
    ]

    private static let provider = Shape.named(
        "Provider",
        .object(
            place + [
                .required("configured", .bool), .required("credentials", .nullable(.text)),
                .required("fault", .nullable(.text)),
            ] + LaneStateShape.fields))

    private static let checked = Shape.named(
        "ProviderCheck",
        .object(
            place + [
                .required("result", .oneOf(["accepted", "refused", "unknown", "faulty"])),
                .required("status", .nullable(.integer)), .required("reason", .nullable(.text)),
                .required("advice", .nullable(.text)),
            ]))

    private static func data(of shape: Shape) -> Shape {
        .object([.required("data", .list(of: shape))])
    }

    private static func list(_ parts: Parts) -> Endpoint {
        Endpoint(
            .get, "/v1/ops/providers",
            "Each credential as this process has it (never the key), and how its lanes stand.",
            access: Access(.operators), responses: [Response(200, "Them.", data(of: provider))]
        ) { _, _, transaction in
            let states = try JobQueue.states(in: transaction)
            let lanes = try JobQueue.lanes(in: transaction).map(\.credential)
            var credentials: [Credential] = []
            for credential in lanes where !credential.name.isEmpty {
                if !credentials.contains(credential) { credentials.append(credential) }
            }
            return .json(200) { writer in
                writer.beginObject()
                writer.key("data")
                writer.beginArray()
                for credential in credentials {
                    let state = states.first { $0.credential == credential }
                    write(credential, state, parts, to: &writer)
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    private static func write(
        _ credential: Credential, _ state: Jobs.LaneState?, _ parts: Parts,
        to writer: inout JSONWriter
    ) {
        let route = PushRoute(
            transport: credential.name, environment: credential.environment)
        let fault = parts.providerFaults.first { $0.provider == credential.name }
        writer.beginObject()
        writer.writePlace(route)
        writer.member("configured", parts.providers.has(route))
        writer.member("credentials", orNull: parts.providers.words(about: route))
        writer.member("fault", orNull: fault.map { "\($0.variable) \($0.problem)" })
        LaneStateShape.write(state, to: &writer)
        writer.endObject()
    }

    // MARK: - The check

    /// The providers are asked between two transactions, since none may wait for them.
    private static func check(_ parts: Parts) -> Endpoint {
        Endpoint(
            .post, "/v1/ops/providers/check",
            "Signs and probes each credential without a user's device. Where a provider accepts "
                + "what is paused, the workers are asked to try theirs at once.",
            access: Access(.operators),
            responses: [Response(200, "What each provider says.", data(of: checked))],
            isIdempotent: true
        ) { _, entrance in
            try await entrance.once { _, _ in
            } doing: { _ in
                parts.providerFaults.map { ProviderFinding($0) }
                    + (await parts.providers.probeAll(deadline: .after(.seconds(10)))).map {
                        ProviderFinding($0.route, $0.result)
                    }
            } then: { findings, _, caller, transaction in
                try record(findings, caller, in: transaction)
                return .success(answer(findings))
            }
        }
    }

    private static func answer(_ findings: [ProviderFinding]) -> Answer {
        .json(200) { writer in
            writer.beginObject()
            writer.key("data")
            writer.beginArray()
            for finding in findings { finding.write(to: &writer) }
            writer.endArray()
            writer.endObject()
        }
    }

    private static func record(
        _ findings: [ProviderFinding], _ caller: Caller, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        let accepted = findings.filter { $0.result == .accepted }.map {
            Credential(name: $0.provider, environment: $0.environment ?? "")
        }
        _ = try ProviderActs.probeSoon(accepted, in: transaction)
        let results = findings.map { finding in
            (finding.name, JSONValue.text(finding.reason ?? finding.result.rawValue))
        }
        try Audit.write(
            Audit.noStore, actor: caller.id.description, act: "provider.checked",
            subject: "providers", after: .object(JSONObject(results)), in: transaction)
    }
}

extension JSONWriter {
    /// FCM has no environments.
    fileprivate mutating func writePlace(_ route: PushRoute) {
        member("provider", route.transport)
        member("environment", orNull: route.environment.isEmpty ? nil : route.environment)
    }
}
