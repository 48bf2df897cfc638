/// The working copy that the tests were built from.
public enum SourceTree {
    public static let root =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The whole path of a file or folder of the tree.
    public static func path(_ relative: String) -> String { "\(root)/\(relative)" }
}
