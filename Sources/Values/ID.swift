/// The id of one kind of thing, so that a store's id can never be passed where a person's is meant.
///
/// A room declares its own: `public typealias StoreID = ID<StoreSubject>`.
public struct ID<Subject>: Hashable, Sendable {
    /// Of any version.
    public let uuid: UUID

    /// Takes any UUID; that it is the id of such a thing is the caller's word.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Reads the canonical text form in either case; anything else is nil.
    public init?(_ text: some StringProtocol) {
        guard let uuid = UUID(text) else { return nil }
        self.uuid = uuid
    }
}

extension ID: Comparable {
    /// By the bytes, which for version 7 is the order of making.
    public static func < (left: ID, right: ID) -> Bool { left.uuid < right.uuid }
}

extension ID: CustomStringConvertible {
    /// The canonical text form, in lower case.
    public var description: String { uuid.description }
}

/// What the ids below are ids of; these types have no values.
public enum StoreSubject {}
public enum UserSubject {}
public enum SessionSubject {}
public enum DeviceSubject {}
public enum EventSubject {}
public enum PushSubject {}

/// A store: the tenant.
public typealias StoreID = ID<StoreSubject>
/// A person, who may be a member of many stores.
public typealias UserID = ID<UserSubject>
/// One sign-in of a person on one installation of an app.
public typealias SessionID = ID<SessionSubject>
/// One registered push target of a session.
public typealias DeviceID = ID<DeviceSubject>
/// An event as the platform keeps it, and the alert that it raised: one UUID for both.
public typealias EventID = ID<EventSubject>
/// The same id, where it is the alert that is meant.
public typealias AlertID = EventID
/// One push, which is one (alert, device): the job's id and the `apns-id` of every attempt.
public typealias PushID = ID<PushSubject>
