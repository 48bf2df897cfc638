/// The statements that one connection has prepared, by the address of their text and the types of
/// their values.
struct StatementCache {
    struct Key: Hashable {
        let address: UInt
        let number: Int
    }

    struct Found {
        let key: Key
        /// NUL-terminated.
        let name: [CChar]
        /// It has to be prepared before it is used.
        let isNew: Bool
    }

    private struct Variant {
        let number: Int
        let name: [CChar]
        let types: [UInt32]

        /// A NULL without a type fits wherever another call had a value.
        func takes(_ wanted: [UInt32]) -> Bool {
            types.count == wanted.count
                && zip(types, wanted).allSatisfy { $0 == $1 || $1 == 0 }
        }
    }

    private var variants: [UInt: [Variant]] = [:]
    private var made = 0

    /// How many statements stand prepared.
    var count: Int { variants.values.reduce(0) { $0 + $1.count } }

    /// The statement to use, marked as prepared.
    mutating func find(_ sql: StaticSQL, _ types: [UInt32]) -> Found {
        let address = sql.address
        if let variant = variants[address]?.first(where: { $0.takes(types) }) {
            let key = Key(address: address, number: variant.number)
            return Found(key: key, name: variant.name, isNew: false)
        }
        made += 1
        let variant = Variant(number: made, name: Array("s\(made)".utf8CString), types: types)
        variants[address, default: []].append(variant)
        let key = Key(address: address, number: made)
        return Found(key: key, name: variant.name, isNew: true)
    }

    /// Preparing it failed.
    mutating func forget(_ key: Key) {
        variants[key.address]?.removeAll { $0.number == key.number }
    }
}
