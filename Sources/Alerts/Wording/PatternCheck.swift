/// Checks a pattern before it is ever used: it parses, names only what it may in the way that its
/// value allows, and yields a text for every number.
enum PatternCheck {
    static func problem(
        in pattern: String, naming arguments: [WordingArgument], locale: String,
        compiler: some PatternCompiler
    ) -> PatternProblem? {
        do {
            let compiled = try compiler.compile(pattern, locale: locale)
            if let problem = misuse(in: compiled.uses, of: arguments) { return problem }
            for quantity in [Int64(0), 1, 2, 5, 1_000_000] {
                let text = try compiled.format(samples(of: arguments, quantity: quantity))
                if Text.visible(text) == nil {
                    return PatternProblem(offset: 0, message: "yields an empty text")
                }
            }
            return nil
        } catch {
            return error
        }
    }

    private static func misuse(
        in uses: [PatternUse], of arguments: [WordingArgument]
    ) -> PatternProblem? {
        for use in uses {
            guard let argument = arguments.first(where: { $0.name == use.name }) else {
                return PatternProblem(
                    offset: use.offset, message: "{\(printable(use.name))} is no argument here")
            }
            if !allowed(use.form, for: argument.form) {
                return PatternProblem(
                    offset: use.offset,
                    message: "{\(argument.name)} cannot be used in this way")
            }
        }
        return nil
    }

    private static func allowed(_ use: PatternUse.Form, for form: WordingArgument.Form) -> Bool {
        switch (use, form) {
        case (.plain, _), (.select, .text), (.number, .integer), (.plural, .integer): true
        case (.select, _), (.number, _), (.plural, _), (.other, _): false
        }
    }

    /// A name from a stranger's pattern, short enough for one line.
    private static func printable(_ name: String) -> String {
        Text.cut(Text.cleaned(name), to: 40)
    }

    private static func samples(
        of arguments: [WordingArgument], quantity: Int64
    ) -> [String: PatternValue] {
        var values: [String: PatternValue] = [:]
        for argument in arguments {
            switch argument.form {
            case .text: values[argument.name] = .text("x")
            case .integer: values[argument.name] = .integer(quantity)
            case .money:
                values[argument.name] =
                    Money(amount: "1234.56", currency: "BRL").map { .money($0) } ?? .text("x")
            }
        }
        return values
    }
}
