public import JSON

extension Preferences {
    /// Reads `{"BRL": "100.00"}`: a decimal that is not negative per ISO 4217 code. Every fault at
    /// once.
    public static func readMinimums(
        _ value: JSONValue
    ) throws(FieldFaults) -> [String: Amount] {
        guard let object = value.object else {
            throw FieldFaults([
                FieldFault(pointer: "", code: .type, message: "must be an object")
            ])
        }
        var minimums: [String: Amount] = [:]
        var faults: [FieldFault] = []
        for member in object {
            let pointer = JSONPointer.step(member.key)
            if !Money.isCurrency(member.key) {
                faults.append(
                    FieldFault(
                        pointer: pointer, code: .format,
                        message: "the key must be three capital letters of ISO 4217"))
            } else if let fault = fault(member.value, at: pointer) {
                faults.append(fault)
            }
            minimums[member.key] = member.value.text.flatMap { Amount($0) }
        }
        guard faults.isEmpty else { throw FieldFaults(faults) }
        return minimums
    }

    private static func fault(_ value: JSONValue, at pointer: String) -> FieldFault? {
        guard let text = value.text else {
            return FieldFault(pointer: pointer, code: .type, message: "must be a string")
        }
        guard let amount = Amount(text) else {
            return FieldFault(
                pointer: pointer, code: .format, message: "must be a decimal as 100.00")
        }
        return amount.isNegative
            ? FieldFault(pointer: pointer, code: .range, message: "must not be negative") : nil
    }
}
