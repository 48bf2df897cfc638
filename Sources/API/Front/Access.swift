public import Alerts
public import Storage
public import Values

/// A kind of caller. An open list: kinds to come bring their own.
public struct CallerKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A person with a session.
    public static let staff = CallerKind(rawValue: "staff")
    /// A commerce backend with a store API token.
    public static let storeToken = CallerKind(rawValue: "store_token")
    /// A person who is marked operator; also `staff`.
    public static let operators = CallerKind(rawValue: "operator")
}

extension Caller {
    /// The person; nil for a store's backend.
    public var person: Person? {
        if case .person(let person) = self { person } else { nil }
    }

    /// Whether a member of the store may do something there. A backend has no permissions.
    public func may(_ permission: Permission, in store: StoreID) -> Bool {
        person?.membership(in: store)?.permissions.contains(permission) ?? false
    }

    func isOf(_ kind: CallerKind) -> Bool {
        switch (kind, self) {
        case (.staff, .person), (.storeToken, .backend): true
        case (.operators, .person(let person)): person.isOperator
        default: false
        }
    }

    func belongs(to store: StoreID) -> Bool {
        switch self {
        case .person(let person): person.membership(in: store) != nil
        case .backend(let own, _): own == store
        }
    }
}

/// Who may call an endpoint. There is no value that lets everybody in, and none by default.
public struct Access: Sendable {
    /// One kind of caller, and what it needs beside being of that kind.
    public struct Rule: Sendable {
        public enum Need: Sendable, Hashable {
            /// Nothing: the endpoint is about the caller alone.
            case nothing
            /// To belong to the store in the path.
            case membership
            /// A permission in the store in the path.
            case permission(Permission)
        }

        public let kind: CallerKind
        public let need: Need

        public init(_ kind: CallerKind, _ need: Need) {
            self.kind = kind
            self.need = need
        }

        /// Any person, about their own.
        public static let person = Rule(.staff, .nothing)
        /// A member of the store in the path.
        public static let member = Rule(.staff, .membership)
        /// A member with a permission in the store in the path.
        public static func member(with permission: Permission) -> Rule {
            Rule(.staff, .permission(permission))
        }
        /// The API token of the store in the path.
        public static let storeToken = Rule(.storeToken, .membership)
        public static let operators = Rule(.operators, .nothing)
    }

    public let rules: [Rule]

    public init(_ first: Rule, _ more: Rule...) { rules = [first] + more }

    /// Whether a store must stand in the path.
    var concernsStore: Bool { rules.contains { $0.need != .nothing } }

    /// Whether only operators may call it: their requests run under a role of their own.
    var isForOperators: Bool { rules.allSatisfy { $0.kind == .operators } }

    /// - Throws: 404 to those for whom the store does not exist, 403 to the others.
    func check(_ caller: Caller, in store: StoreID?) throws(Problem) {
        let kind = rules.filter { caller.isOf($0.kind) }
        guard !kind.isEmpty else {
            throw caller.person == nil
                ? Problem(.sessionRequired) : Problem(.forbidden, strangers)
        }
        if concernsStore {
            guard let store, caller.belongs(to: store) else { throw Problem(.notFound) }
            guard kind.contains(where: { Self.fulfils($0.need, caller, store) }) else {
                throw Problem(.forbidden, lacking(kind))
            }
        }
    }

    /// What a person is told where no person as such may call.
    private var strangers: String {
        isForOperators
            ? "Only operators may do this." : "Only the API token of the store may do this."
    }

    /// What a member is told who lacks what the rules for members ask for.
    private func lacking(_ rules: [Rule]) -> String {
        let permissions = rules.compactMap { rule in
            if case .permission(let permission) = rule.need { permission.rawValue } else { nil }
        }
        let hasToken = self.rules.contains { $0.kind == .storeToken }
        return "It takes the permission \(permissions.joined(separator: " or ")) in the store"
            + (hasToken ? ", or the store's API token." : ".")
    }

    private static func fulfils(_ need: Rule.Need, _ caller: Caller, _ store: StoreID) -> Bool {
        switch need {
        case .nothing, .membership: true
        case .permission(let permission): caller.may(permission, in: store)
        }
    }
}

/// Stands where an endpoint needs no caller, so that this is said and not forgotten.
public struct NoCaller: Sendable {
    public static let anyone = NoCaller()
}
