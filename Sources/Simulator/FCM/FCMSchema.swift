import JSON

/// The members of a message and their forms
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages), and the words in
/// which Google's JSON reader refuses others.
struct FCMSchema: Sendable {
    indirect enum Form: Sendable {
        case text
        case flag
        case integer
        case number
        /// `3.5s`
        case duration
        case choice(type: String, Set<String>)
        case texts
        case durations
        /// Text to text.
        case map
        /// Anything at all.
        case free
        case object([String: Form])
    }

    static let request: [String: Form] = ["validate_only": .flag, "message": .object(message)]

    private static let message: [String: Form] = [
        "name": .text, "data": .map, "notification": .object(notification),
        "android": .object(android), "android_v2": .free,
        "webpush": .object([
            "headers": .map, "data": .map, "notification": .free,
            "fcm_options": .object(["link": .text, "analytics_label": .text]),
        ]),
        "apns": .object([
            "headers": .map, "payload": .free, "live_activity_token": .text,
            "fcm_options": .object(["analytics_label": .text, "image": .text]),
        ]),
        "fcm_options": .object(options), "token": .text, "fid": .text, "topic": .text,
        "condition": .text,
    ]

    private static let options: [String: Form] = ["analytics_label": .text]
    private static let notification: [String: Form] = [
        "title": .text, "body": .text, "image": .text,
    ]

    private static let android: [String: Form] = [
        "collapse_key": .text,
        "priority": .choice(type: "AndroidMessagePriority", ["NORMAL", "HIGH", "normal", "high"]),
        "ttl": .duration, "restricted_package_name": .text, "data": .map,
        "notification": .object(androidNotification), "fcm_options": .object(options),
        "direct_boot_ok": .flag, "bandwidth_constrained_ok": .flag,
        "restricted_satellite_ok": .flag,
    ]

    private static let androidNotification: [String: Form] = [
        "title": .text, "body": .text, "icon": .text, "color": .text, "sound": .text, "tag": .text,
        "click_action": .text, "title_loc_key": .text, "title_loc_args": .texts,
        "body_loc_key": .text, "body_loc_args": .texts, "channel_id": .text, "ticker": .text,
        "sticky": .flag, "event_time": .text, "local_only": .flag,
        "notification_priority": .choice(
            type: "AndroidNotification.NotificationPriority",
            [
                "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT",
                "PRIORITY_HIGH", "PRIORITY_MAX",
            ]),
        "default_sound": .flag, "default_vibrate_timings": .flag,
        "default_light_settings": .flag, "vibrate_timings": .durations,
        "visibility": .choice(
            type: "AndroidNotification.Visibility",
            ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .integer,
        "light_settings": .object([
            "color": .object([
                "red": .number, "green": .number, "blue": .number, "alpha": .number,
            ]),
            "light_on_duration": .duration, "light_off_duration": .duration,
        ]),
        "image": .text,
        "proxy": .choice(
            type: "AndroidNotification.Proxy",
            ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
        "bypass_proxy_notification": .flag,
    ]

    // MARK: Checking

    /// The first member that is unknown or has another form.
    static func fault(_ object: JSONObject, _ members: [String: Form], at path: String) -> FCMFault?
    {
        for member in object {
            let name = snake(member.key)
            guard let form = members[name] else {
                let place = path.isEmpty ? "" : " at '\(path)'"
                return .invalid(
                    path,
                    "Invalid JSON payload received. Unknown name \"\(member.key)\"\(place): "
                        + "Cannot find field.")
            }
            // Null is absent (protobuf's JSON mapping).
            guard !member.value.isNull else { continue }
            let place = path.isEmpty ? name : "\(path).\(name)"
            if let fault = fault(member.value, form, at: place) { return fault }
        }
        return nil
    }

    private static func fault(_ value: JSONValue, _ form: Form, at path: String) -> FCMFault? {
        switch form {
        case .free: return nil
        case .text: return value.text == nil ? wrong(value, "TYPE_STRING", path) : nil
        case .flag: return value.bool == nil ? wrong(value, "TYPE_BOOL", path) : nil
        case .integer:
            let fits = value.integer.map { Int32(exactly: $0) != nil } ?? false
            return fits ? nil : wrong(value, "TYPE_INT32", path)
        case .number:
            let fits = value.integer != nil || value.real != nil
            return fits ? nil : wrong(value, "TYPE_FLOAT", path)
        case .duration:
            let fits = value.text.map(isDuration) ?? false
            return fits ? nil : wrong(value, "\(types)google.protobuf.Duration", path)
        case .choice(let type, let choices):
            let fits = value.text.map(choices.contains) ?? false
            return fits ? nil : wrong(value, "\(types)google.firebase.fcm.v1.\(type)", path)
        case .texts: return list(value, .text, at: path)
        case .durations: return list(value, .duration, at: path)
        case .map: return map(value, at: path)
        case .object(let members):
            guard let object = value.object else { return wrong(value, "TYPE_MESSAGE", path) }
            return fault(object, members, at: path)
        }
    }

    private static func list(_ value: JSONValue, _ form: Form, at path: String) -> FCMFault? {
        guard let items = value.array else { return wrong(value, "TYPE_STRING", path) }
        for (index, item) in items.enumerated() {
            if let fault = fault(item, form, at: "\(path)[\(index)]") { return fault }
        }
        return nil
    }

    private static func map(_ value: JSONValue, at path: String) -> FCMFault? {
        guard let object = value.object else { return wrong(value, "TYPE_MESSAGE", path) }
        for (index, member) in object.enumerated() where member.value.text == nil {
            return wrong(member.value, "TYPE_STRING", "\(path)[\(index)].value")
        }
        return nil
    }

    private static let types = "type.googleapis.com/"

    private static func wrong(_ value: JSONValue, _ type: String, _ path: String) -> FCMFault {
        let text = String(decoding: value.encoded, as: UTF8.self)
        return .invalid(path, "Invalid value at '\(path)' (\(type)), \(text)")
    }

    /// Google's readers take `lowerCamelCase` and `snake_case` alike.
    private static func snake(_ key: String) -> String {
        guard key.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return key }
        return key.reduce(into: "") { text, character in
            text += character.isUppercase ? "_\(character.lowercased())" : String(character)
        }
    }

    /// Seconds with up to nine digits of fraction and an `s`, at most 28 days where FCM counts
    /// them.
    private static func isDuration(_ text: String) -> Bool {
        guard text.hasSuffix("s") else { return false }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber, (1...2).contains(parts.count), let seconds = Int64(parts[0]) else {
            return false
        }
        return seconds <= 2_419_200 && (parts.count == 1 || parts[1].count <= 9)
    }
}
