import Alerts
import Texts

/// What people read: the files of `LOCALIZATION_PATH`.
enum ProductTexts {
    /// Reads every language and checks it whole.
    ///
    /// - Throws: `ConfigurationFaults` with the file and what is wrong in it.
    static func load(_ folder: String) throws(ConfigurationFaults) -> Wording {
        do throws(LocalizationFault) {
            return try LocalizationFolder(folder).wording()
        } catch .missing {
            throw ConfigurationFaults(
                "LOCALIZATION_PATH",
                "there is no folder \(folder) here: set it to the Localization of Sineta's source")
        } catch {
            throw ConfigurationFaults("LOCALIZATION_PATH", "\(error)")
        }
    }
}
