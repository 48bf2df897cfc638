import Glibc
import Runtime
import Values

/// One variable of the environment, in words.
struct Variable: Sendable, Equatable {
    let name: String
    /// What a value looks like, with its range.
    let form: String
    /// The default in words; empty when there is none.
    let standard: String
    let effect: String
}

/// Reads the environment and remembers what each variable means, so that help, README and code
/// cannot list different ones: the line that reads a variable is its declaration.
struct SettingsReader {
    private(set) var variables: [Variable] = []
    private(set) var warnings: [String] = []
    private var environment: EnvironmentReader

    init(_ environment: [String: String]) {
        self.environment = EnvironmentReader(environment)
    }

    var faults: [EnvironmentFault] { environment.faults }

    mutating func refuse(_ variable: String, _ problem: String) {
        environment.add(variable, problem)
    }

    mutating func warn(_ words: String) { warnings.append(words) }

    mutating func integer(
        _ name: String, _ standard: Int, in range: ClosedRange<Int>, _ effect: String
    ) -> Int {
        declare(name, "\(range.lowerBound)–\(range.upperBound)", "\(standard)", effect)
        return environment.integer(name, default: standard, in: range)
    }

    mutating func seconds(
        _ name: String, _ standard: Int, in range: ClosedRange<Double>, _ effect: String
    ) -> Duration {
        let form = "seconds, \(plain(range.lowerBound))–\(plain(range.upperBound))"
        declare(name, form, "\(standard)", effect)
        return environment.seconds(name, default: Double(standard), in: range)
    }

    mutating func choice(
        _ name: String, _ standard: String, of choices: [String], _ effect: String
    ) -> String {
        declare(name, choices.map { "`\($0)`" }.joined(separator: ", "), standard, effect)
        return environment.choice(name, default: standard, of: choices)
    }

    mutating func text(
        _ name: String, form: String, standard: String = "", _ effect: String
    ) -> String? {
        declare(name, form, standard, effect)
        return environment.text(name)
    }

    mutating func secret(
        _ name: String, form: String, standard: String = "", _ effect: String
    ) -> Secret<String>? {
        declare(name, form, standard, effect)
        return environment.secret(name)
    }

    /// A host that may be bound: an IPv4 or IPv6 address.
    mutating func bindAddress(_ name: String, _ standard: String, _ effect: String) -> String {
        declare(name, "an IPv4 or IPv6 address", standard, effect)
        guard let text = environment.text(name) else { return standard }
        guard NetworkAddress.isAddress(text) else {
            refuse(name, "must be an IPv4 or IPv6 address, as 127.0.0.1 or ::1")
            return standard
        }
        return text
    }

    /// A host and a port that may be bound, nil when unset; the host comes without brackets.
    mutating func endpoint(_ name: String, standard: String, _ effect: String) -> ListenAddress? {
        declare(name, "address:port", standard, effect)
        guard environment.text(name) != nil else { return nil }
        let faults = environment.faults.count
        let (given, port) = environment.address(name, default: ("127.0.0.1", 0))
        guard environment.faults.count == faults else { return nil }
        let isBracketed = given.hasPrefix("[") && given.hasSuffix("]")
        let host = isBracketed ? String(given.dropFirst().dropLast()) : given
        guard NetworkAddress.isAddress(host) else {
            refuse(name, "must be an address and a port, as 127.0.0.1:9090 or [::1]:9090")
            return nil
        }
        return ListenAddress(host: host, port: port)
    }

    /// A list with commas; what `isGood` refuses is named by its place, since a value may be a
    /// secret.
    mutating func list(
        _ name: String, form: String, _ effect: String, problem: String,
        _ isGood: (String) -> Bool
    ) -> [String] {
        declare(name, "\(form), with commas between", "", effect)
        let values = (environment.text(name) ?? "").split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        for (index, value) in values.enumerated() where !isGood(value) {
            refuse(name, "entry \(index + 1) \(problem)")
        }
        return values
    }

    private mutating func declare(
        _ name: String, _ form: String, _ standard: String, _ effect: String
    ) {
        variables.append(Variable(name: name, form: form, standard: standard, effect: effect))
    }

    private func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int64(number)) : String(number)
    }
}

/// A host and a port.
struct ListenAddress: Sendable, Equatable {
    var host: String
    var port: Int
}
