public import Alerts
import Runtime

/// Why a folder of languages cannot be used; `description` names the file and what is wrong in it.
public enum LocalizationFault: Error, Sendable, CustomStringConvertible {
    case missing(folder: String)
    case unreadable(String)
    case faulty(CatalogueFault)

    public var description: String {
        switch self {
        case .missing(let folder): "there is no folder \(folder) here"
        case .unreadable(let words): words
        case .faulty(let fault): fault.description
        }
    }
}

/// The folder `Localization`: one JSON file for each language.
public struct LocalizationFolder: Sendable {
    /// Relative to where the process runs, or absolute.
    public let path: String

    /// Reads nothing yet.
    public init(_ path: String) {
        self.path = path
    }

    /// All languages, read but not checked.
    public func files() throws(LocalizationFault) -> [Catalogue.File] {
        guard Files.exists(path) else { throw .missing(folder: path) }
        do throws(FileFault) {
            return try Files.list(path).filter { $0.hasSuffix(".json") }.map {
                name throws(FileFault) in
                Catalogue.File(name: name, bytes: try Files.read("\(path)/\(name)"))
            }
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// All languages and those of `more`, checked whole.
    public func wording(
        with more: [Catalogue.File] = []
    ) throws(LocalizationFault) -> Wording {
        let compiler = ICUPatterns()
        let files = try files() + more
        do throws(CatalogueFault) {
            return Wording(
                catalogue: try Catalogue(files, compiler: compiler), compiler: compiler)
        } catch {
            throw .faulty(error)
        }
    }
}
