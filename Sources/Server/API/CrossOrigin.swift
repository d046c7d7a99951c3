import HTTP

// What pages of other origins may do (the Fetch standard's CORS protocol).
extension HTTPConnection {
    /// Whether the page that asks may connect: one of the host that it asks, or of the list; all who are no page may.
    ///
    /// Origins are compared whole: scheme, host and port.
    func allowsOrigin(of head: RequestHead) -> Bool {
        let fields = head.headers.all("origin")
        guard !fields.isEmpty, let allowed = context.access.origins else { return true }
        guard fields.count == 1, let origin = WebOrigin(fields[0]) else { return false }
        if allowed.contains(origin) { return true }
        guard let host = head.host else { return false }
        return origin == WebOrigin(scheme: client(of: head).scheme, host: host)
    }

    /// Lets the page that asked read an answer of the API, where its origin may, and any page the browser kit.
    func addCrossOrigin(to headers: inout HTTPHeaders, for head: RequestHead) {
        if head.target.hasPrefix("/kit/") { headers.append("Access-Control-Allow-Origin", "*") }
        guard head.target.hasPrefix("/v1/") else { return }
        headers.append("Vary", "Origin")
        guard let origin = head.headers["origin"], allowsOrigin(of: head) else { return }
        headers.append("Access-Control-Allow-Origin", origin)
        headers.append("Access-Control-Expose-Headers", "ETag, Retry-After")
    }

    /// Answers what a browser asks before it sends a page's request, and `OPTIONS` in general.
    func options(of methods: [String], for head: RequestHead) -> Response {
        var response = Response(status: 204)
        let methods = Route.list(methods)
        response.headers.append("Allow", methods)
        guard head.target.hasPrefix("/v1/"), head.headers["access-control-request-method"] != nil,
            head.headers["origin"] != nil, allowsOrigin(of: head)
        else { return response }
        response.headers.append("Access-Control-Allow-Methods", methods)
        response.headers.append(
            "Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
        )
        response.headers.append("Access-Control-Max-Age", "600")
        return response
    }
}
