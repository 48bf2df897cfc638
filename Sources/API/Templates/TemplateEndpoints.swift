import Alerts
import JSON
import Storage
import Values

/// A store's own words for its alerts.
enum TemplateEndpoints {
    static func endpoints(_ parts: Parts) -> [Endpoint] {
        let words = TemplateWords(wording: parts.wording)
        return [list(words), save(words), remove(words), preview(words)]
    }

    private static let access = Access(.member(with: .storeManage))

    /// The core's own check says where in a text it is wrong, an empty one too.
    private static let text = Shape.text(0...Alerts.Template.longest)

    private static func list(_ words: TemplateWords) -> Endpoint {
        Endpoint(
            .get, "/v1/stores/{store}/templates",
            "The words of every kind and language, the store's own or the built-in ones.",
            access: access,
            responses: [
                Response(
                    200, "All of them.",
                    .object([.required("data", .list(of: TemplateAnswer.shape))]))
            ]
        ) { call, _, transaction in
            let own = try Templates.list(call.path.id("store"), in: transaction)
            return .json(200) { writer in
                writer.beginObject()
                writer.key("data")
                writer.beginArray()
                for kind in AlertKind.listed {
                    for language in words.wording.catalogue.offered {
                        words.answer(kind, language, own)?.write(to: &writer)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    private static func save(_ words: TemplateWords) -> Endpoint {
        Endpoint(
            .put, "/v1/stores/{store}/templates/{kind:text}/{language:text}",
            "Replaces title and body of a kind in a language.", access: access,
            body: .object(.required("title", text), .required("body", text)),
            responses: [Response(200, "The words as they are now.", TemplateAnswer.shape)],
            isVersioned: true
        ) { call, caller, transaction in
            guard let person = caller.person else { throw Problem(.sessionRequired) }
            let place = try TemplatePlace(call, words)
            let before = try words.current(place, in: transaction)
            try call.requireMatch(before.tag)
            let template = Alerts.Template(
                title: try call.body.text("title"), body: try call.body.text("body"))
            try words.check(template, place)
            _ = try Templates.save(
                place.store, kind: place.kind.name, language: place.language,
                words: StoredWords(title: template.title, body: template.body), by: person.id,
                in: transaction)
            let after = TemplateAnswer(place.kind, place.language, template, isDefault: false)
            try Audit.write(
                place.store, actor: person.id.description, act: "template.saved",
                subject: place.description, before: before.words, after: after.words,
                in: transaction)
            return .json(200) { after.write(to: &$0) }.with("ETag", after.tag)
        }
    }

    private static func remove(_ words: TemplateWords) -> Endpoint {
        Endpoint(
            .delete, "/v1/stores/{store}/templates/{kind:text}/{language:text}",
            "Brings the built-in words back.", access: access,
            responses: [Response(204, "They are back.")], isVersioned: true
        ) { call, caller, transaction in
            let place = try TemplatePlace(call, words)
            let before = try words.current(place, in: transaction)
            try call.requireMatch(before.tag)
            let wasOwn = try Templates.remove(
                place.store, kind: place.kind.name, language: place.language, in: transaction)
            if wasOwn {
                try Audit.write(
                    place.store, actor: caller.id.description, act: "template.removed",
                    subject: place.description, before: before.words, in: transaction)
            }
            return .noContent
        }
    }

    private static func preview(_ words: TemplateWords) -> Endpoint {
        Endpoint(
            .post, "/v1/stores/{store}/templates/{kind:text}/{language:text}/preview",
            "How words would stand on both platforms: those of the body, else those in use.",
            access: access,
            body: BodyShape(
                .object([
                    .optional("title", text), .optional("body", text),
                    .optional("locale", .text(1...100)),
                ]), isOptional: true),
            responses: [Response(200, "Both previews.", TemplatePreview.shape)]
        ) { call, _, transaction in
            let place = try TemplatePlace(call, words)
            let current = try words.current(place, in: transaction)
            let template = Alerts.Template(
                title: try call.body.optionalText("title") ?? current.template.title,
                body: try call.body.optionalText("body") ?? current.template.body)
            try words.check(template, place)
            guard let store = try Stores.find(place.store, in: transaction) else {
                throw Problem(.notFound)
            }
            let locale = try words.locale(of: place, asked: call.body.optionalText("locale"))
            return try TemplatePreview(
                words.wording, place.kind, template, locale, store, now: call.now
            ).answer
        }
    }
}
