public import Alerts
public import Values

/// Tells the ids of API tokens from other ids.
public enum APITokenSubject {}
/// A store's API token; never the token itself.
public typealias APITokenID = ID<APITokenSubject>

/// Who a request comes from, as the door `sineta.enter` found it.
public enum Caller: Sendable {
    case person(Person)
    /// A store's commerce backend.
    case backend(store: StoreID, token: APITokenID)

    /// Somebody with a live session, as the database knows them at the request's beginning.
    public struct Person: Sendable {
        public let id: UserID
        /// The session whose access token was brought.
        public let session: SessionID
        /// Whether `/v1/ops/*` is open to them.
        public let isOperator: Bool
        /// In lower case.
        public let email: String
        public let name: String
        /// A language tag; nil: as the device or the store says.
        public let locale: String?
        /// In the order of the stores' ids.
        public let memberships: [Membership]

        /// What the person is in a store; nil for a store that is not theirs.
        public func membership(in store: StoreID) -> Membership? {
            memberships.first { $0.store == store }
        }
    }

    /// What a person is in one store; an invite that was not taken is none.
    public struct Membership: Sendable, Equatable {
        public let store: StoreID
        public let role: Role
        /// What holds by role and by grant.
        public let permissions: Set<Permission>

        public init(store: StoreID, role: Role, permissions: Set<Permission>) {
            self.store = store
            self.role = role
            self.permissions = permissions
        }
    }

    /// The id under which this caller's idempotency keys stand.
    public var id: UUID {
        switch self {
        case .person(let person): person.id.uuid
        case .backend(_, let token): token.uuid
        }
    }
}
