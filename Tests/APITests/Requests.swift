import HTTPServer

extension HTTPRequest {
    /// A request that reaches the front without a socket.
    static func get(_ path: String, token: String? = nil) -> HTTPRequest {
        var headers: HTTPHeaders = ["Host": "test"]
        if let token { headers.add("Authorization", "Bearer \(token)") }
        return HTTPRequest(head: HTTPRequestHead(method: "GET", path: path, headers: headers))
    }
}
