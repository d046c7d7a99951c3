import HTTP

// What pages of other origins may do (the Fetch standard's CORS protocol).
extension Context {
    /// Whether pages of an origin may connect: those of this host, and those of the list.
    func allows(origin: String?, host: String?) -> Bool {
        guard let origin, let origins else { return true }
        if let host, origin == "http://\(host)" || origin == "https://\(host)" { return true }
        return origins.contains(origin)
    }

    /// Lets the page that asked read an answer of the API, where its origin may.
    func addCrossOrigin(to headers: inout HTTPHeaders, for head: RequestHead) {
        guard head.target.hasPrefix("/v1/") else { return }
        headers.append("Vary", "Origin")
        guard let origin = head.headers["origin"], allows(origin: origin, host: head.host) else { return }
        headers.append("Access-Control-Allow-Origin", origin)
        headers.append("Access-Control-Expose-Headers", "ETag, Retry-After")
    }

    /// Answers what a browser asks before it sends a page's request, and `OPTIONS` in general.
    func options(of methods: [String], for head: RequestHead) -> Response {
        var response = Response(status: 204)
        let methods = Self.list(methods)
        response.headers.append("Allow", methods)
        guard head.target.hasPrefix("/v1/"), head.headers["access-control-request-method"] != nil,
            head.headers["origin"] != nil, allows(origin: head.headers["origin"], host: head.host)
        else { return response }
        response.headers.append("Access-Control-Allow-Methods", methods)
        response.headers.append(
            "Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
        )
        response.headers.append("Access-Control-Max-Age", "600")
        return response
    }

    /// The methods as a field lists them, with those that come by themselves.
    static func list(_ methods: [String]) -> String {
        (methods + (methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"])).joined(separator: ", ")
    }
}
