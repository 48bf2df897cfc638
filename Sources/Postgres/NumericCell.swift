/// A `numeric` as decimal text.
///
/// The wire has groups of four decimal digits, the power of 10,000 of the first, the sign, and how
/// many digits stand after the point (`numeric_send`).
struct NumericCell: CellReadable {
    static let name = "numeric"
    let text: String

    init?(_ cell: Cell) {
        guard cell.isOf(.numeric), let count: Int16 = cell.integer(),
            let weight: Int16 = cell.integer(at: 2), let sign: UInt16 = cell.integer(at: 4),
            let scale: Int16 = cell.integer(at: 6), count >= 0, scale >= 0
        else { return nil }
        switch sign {
        case 0xC000: text = "NaN"
        case 0xD000: text = "Infinity"
        case 0xF000: text = "-Infinity"
        case 0x0000, 0x4000:
            var groups: [Int16] = []
            for index in 0..<Int(count) {
                guard let group: Int16 = cell.integer(at: 8 + 2 * index) else { return nil }
                groups.append(group)
            }
            let digits = Self.decimal(groups, weight: Int(weight), scale: Int(scale))
            text = sign == 0x4000 ? "-" + digits : digits
        default: return nil
        }
    }

    private static func decimal(_ groups: [Int16], weight: Int, scale: Int) -> String {
        func group(_ power: Int) -> String {
            let index = weight - power
            let digits = groups.indices.contains(index) ? String(groups[index]) : "0"
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        var whole = ""
        for power in stride(from: max(weight, 0), through: 0, by: -1) { whole += group(power) }
        let significant = whole.drop { $0 == "0" }
        let head = significant.isEmpty ? "0" : String(significant)
        if scale == 0 { return head }
        var fraction = ""
        var power = -1
        while fraction.utf8.count < scale {
            fraction += group(power)
            power -= 1
        }
        return head + "." + fraction.prefix(scale)
    }
}
