import HTTPServer

/// Headers that every answer carries, errors too. One that an answer sets itself stays, as the
/// console's own content policy.
enum SecurityHeaders {
    private static let all = [
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
    ]

    static func apply(to response: inout HTTPResponse) {
        for (name, value) in all where response.headers[name] == nil {
            response.headers.add(name, value)
        }
    }
}
