import Broker
import HTTP
import Synchronization
import Web
import Wire

/// What is served over plain HTTP.
enum Routes {
    static func response(to head: RequestHead, _ target: Target, _ context: Context) -> Response {
        guard let answer = answer(to: target.path, context) else {
            return .error(404, .notFound, "there is nothing at this address")
        }
        guard head.method == "GET" || head.method == "HEAD" else {
            var response = Response.error(405, .methodNotAllowed, "this can only be read")
            response.headers.append("Allow", "GET, HEAD")
            return response
        }
        return answer
    }

    private static func answer(to path: [String], _ context: Context) -> Response? {
        switch path {
        case ["healthz"]: return .text(200, "ok\n")
        case ["readyz"]:
            let isReady = !context.isDraining.load(ordering: .relaxed)
            return isReady ? .text(200, "ready\n") : .text(503, "draining\n")
        default:
            guard path.count <= 1, let page = WebPages.page(path.first ?? "") else { return nil }
            var response = Response(status: 200, body: page.bytes)
            response.headers.append("Content-Type", page.type)
            response.headers.append("Cache-Control", "no-cache")
            response.headers.append("X-Content-Type-Options", "nosniff")
            return response
        }
    }
}

extension Response {
    static func text(_ status: Int, _ text: String) -> Response {
        var response = Response(status: status, body: Array(text.utf8))
        response.headers.append("Content-Type", "text/plain; charset=utf-8")
        return response
    }

    /// An error as JSON, with its status.
    static func error(_ status: Int, _ code: ErrorCode, _ message: String) -> Response {
        var body: [UInt8] = []
        ErrorBody(code: code, message: message).append(to: &body)
        var response = Response(status: status, body: body)
        response.headers.append("Content-Type", "application/json")
        return response
    }
}

extension Context {
    /// Whether pages of an origin may connect: those of this host, and those of the list.
    func allows(origin: String?, host: String?) -> Bool {
        guard let origin, let origins else { return true }
        if let host, origin == "http://\(host)" || origin == "https://\(host)" { return true }
        return origins.contains(origin)
    }

    /// Who a request speaks for.
    func identify(_ head: RequestHead, _ target: Target) throws(Authenticator.Failure) -> Identity? {
        try broker.settings.authenticator.identify(
            authorization: head.headers["authorization"], token: target.first("token"), user: target.first("user"),
            now: wallClockMilliseconds(), guest: { "guest-" + String(UInt32.random(in: .min ... .max), radix: 36) })
    }
}
