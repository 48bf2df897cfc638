import Alerts
import JSON
import Runtime
import Values

/// The demo data of a folder: `people.json`, `stores.json`, `events.json`.
struct Seeds: Sendable {
    struct Person: Sendable {
        let id: UserID
        let email: String
        let name: String
        let locale: String
    }

    struct Store: Sendable {
        let id: StoreID
        let name: String
        let timeZone: String
        let locale: String
        let currency: String
        let members: [Member]
    }

    struct Member: Sendable {
        let email: String
        let role: Role
        let permissions: [Permission]
    }

    /// Events of one store, each as `POST /v1/stores/{store}/events` takes it.
    struct Events: Sendable {
        let store: StoreID
        let events: [JSONValue]
    }

    let people: [Person]
    let stores: [Store]
    let events: [Events]

    /// - Throws: `CommandFault` that names the file and the entry.
    init(folder: String) throws(CommandFault) {
        people = try Self.entries(folder, "people.json").map { entry throws(CommandFault) in
            Person(
                id: UserID(try entry.uuid("id")), email: try entry.text("email"),
                name: try entry.text("name"), locale: try entry.text("locale"))
        }
        stores = try Self.entries(folder, "stores.json").map { entry throws(CommandFault) in
            Store(
                id: StoreID(try entry.uuid("id")), name: try entry.text("name"),
                timeZone: try entry.text("time_zone"), locale: try entry.text("locale"),
                currency: try entry.text("currency"),
                members: try entry.entries("members").map { member throws(CommandFault) in
                    Member(
                        email: try member.text("email"), role: try member.role("role"),
                        permissions: member.texts("permissions").map(Permission.init(rawValue:)))
                })
        }
        events = try Self.entries(folder, "events.json").map { entry throws(CommandFault) in
            Events(
                store: StoreID(try entry.uuid("store_id")),
                events: try entry.entries("events").map(\.value))
        }
    }

    private static func entries(
        _ folder: String, _ file: String
    ) throws(CommandFault) -> [SeedEntry] {
        let place = "\(folder)/\(file)"
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try Files.read(place)
        } catch {
            throw CommandFault(.failed, "seeds: \(error)")
        }
        do throws(JSONFault) {
            return SeedEntry.list(try JSONValue.parse(bytes), at: place)
        } catch {
            throw CommandFault(.failed, "seeds: \(place): \(error)")
        }
    }
}

/// One object of a seed file, and where it stands.
private struct SeedEntry {
    let value: JSONValue
    let place: String

    /// A list's elements; anything but a list has none.
    static func list(_ value: JSONValue, at place: String) -> [SeedEntry] {
        (value.array ?? []).enumerated().map { SeedEntry(value: $1, place: "\(place)[\($0)]") }
    }

    func text(_ key: String) throws(CommandFault) -> String {
        guard let text = value[key]?.text else { throw fault(key, "a text") }
        return text
    }

    func role(_ key: String) throws(CommandFault) -> Role {
        guard let role = try Role(rawValue: text(key)) else { throw fault(key, "a role") }
        return role
    }

    func uuid(_ key: String) throws(CommandFault) -> UUID {
        guard let uuid = try UUID(text(key)) else { throw fault(key, "a UUID") }
        return uuid
    }

    func texts(_ key: String) -> [String] { (value[key]?.array ?? []).compactMap(\.text) }

    func entries(_ key: String) throws(CommandFault) -> [SeedEntry] {
        guard let list = value[key], list.array != nil else { throw fault(key, "a list") }
        return Self.list(list, at: "\(place).\(key)")
    }

    private func fault(_ key: String, _ wanted: String) -> CommandFault {
        CommandFault(.failed, "seeds: \(place).\(key) must be \(wanted)")
    }
}
