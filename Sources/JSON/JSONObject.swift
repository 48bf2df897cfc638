/// The members of an object in the order in which they were written, each key once.
///
/// Looking a key up walks the members: bodies here have few, and a hostile one with many is only
/// asked for the few keys that somebody knows. Equal objects have equal members in equal order.
public struct JSONObject: Sendable, Equatable {
    /// In the order in which they were written or added.
    public private(set) var members: [Member]

    /// A key and its value.
    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: JSONValue

        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Keys must differ: a later one of the same name is never found.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Members from pairs. Keys must differ: a later one of the same name is never found.
    public init(_ pairs: [(String, JSONValue)]) {
        members = pairs.map { Member(key: $0.0, value: $0.1) }
    }

    public var isEmpty: Bool { members.isEmpty }
    /// Members, one of a repeated key counted too.
    public var count: Int { members.count }
    /// In the order of the members.
    public var keys: [String] { members.map(\.key) }

    /// Reading: the member's value, nil when absent. Writing: replaces in place or appends; nil
    /// removes the member.
    public subscript(_ key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index] = Member(key: key, value: value)
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Sequence {
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}
