import Alerts
import JSON
import Values

/// The words of one kind and language as they are answered.
struct TemplateAnswer {
    static let shape = Shape.named(
        "Template",
        .object([
            .required("kind", .text), .required("language", .text), .required("title", .text),
            .required("body", .text), .required("is_default", .bool),
            .required("arguments", .list(of: .text)), .required("etag", .text),
        ]))

    let template: Alerts.Template
    private let kind: AlertKind
    private let language: String
    private let isDefault: Bool

    init(_ kind: AlertKind, _ language: String, _ template: Alerts.Template, isDefault: Bool) {
        self.kind = kind
        self.language = language
        self.template = template
        self.isDefault = isDefault
    }

    /// Of the words themselves, so that a release that changes a built-in text changes it too.
    var tag: String {
        EntityTag.of(JSONValue.array([words, .bool(isDefault)]).encoded)
    }

    /// As the audit keeps them.
    var words: JSONValue { ["title": .text(template.title), "body": .text(template.body)] }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", kind.name)
        writer.member("language", language)
        writer.member("title", template.title)
        writer.member("body", template.body)
        writer.member("is_default", isDefault)
        writer.key("arguments")
        writer.beginArray()
        for argument in kind.arguments { writer.string(argument.name) }
        writer.endArray()
        writer.member("etag", tag)
        writer.endObject()
    }
}
