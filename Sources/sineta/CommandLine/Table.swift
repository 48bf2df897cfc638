/// Rows for a person at a terminal: columns as wide as their widest cell, two spaces between.
struct Table {
    private var rows: [[String]]

    init(_ head: String...) { rows = [head] }

    mutating func add(_ cells: String...) { rows.append(cells) }

    var isEmpty: Bool { rows.count == 1 }

    /// The lines, without spaces at their ends.
    var text: String {
        let widths = rows.reduce(into: [Int](repeating: 0, count: rows[0].count)) { widths, row in
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.count) }
        }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
