import Broker
import HTTP
import Reactions
import Wire

extension Response {
    /// A reply of a channel as it is: the JSON that a WebSocket would carry.
    static func reply(_ body: [UInt8]) -> Response {
        var response = Response(status: 200, body: body)
        response.headers.append("Content-Type", "application/json")
        response.headers.append("Cache-Control", "no-store")
        return response
    }

    /// One message's reactions, made from the reply to a `list` of this message alone.
    ///
    /// Where the request knows its tag, the body is left out.
    static func document(_ message: String, from reply: [UInt8], isCounted: Bool, for head: RequestHead) -> Response {
        guard case .list(_, let channel, let epoch, let seq, let messages, _, _) = try? BrokerMessage.decode(reply.span)
        else { return .error(RequestRefusal(.unavailable, "the broker's reply cannot be read")) }
        let bare = Summary(message: message, total: 0, groups: [], own: [])
        var body: [UInt8] = []
        MessageDocument(
            channel: channel, epoch: epoch, seq: seq, summary: messages.first ?? bare, isCounted: isCounted
        ).append(to: &body)
        var response = tagged(body, "\"\(EntityTag.of(body))\"", type: "application/json", for: head)
        // What is the asking user's own is in it.
        response.headers.append("Cache-Control", "private, no-cache")
        response.headers.append("Vary", "Authorization")
        return response
    }

    /// A file that is part of the program, in gzip where the request takes it; a browser asks each time whether its copy
    /// is right.
    static func page(_ page: ServedPage, for head: RequestHead) -> Response {
        let gzip = head.headers.acceptsGzip ? page.gzip : nil
        let form = gzip ?? page.plain
        var response = tagged(form.body, form.tag, type: page.type, for: head)
        if gzip != nil, response.status == 200 { response.headers.append("Content-Encoding", "gzip") }
        response.headers.append("Vary", "Accept-Encoding")
        response.headers.append("Cache-Control", "no-cache")
        response.headers.append("X-Content-Type-Options", "nosniff")
        if page.isPrivate {
            response.headers.append("X-Frame-Options", "DENY")
            response.headers.append("Referrer-Policy", "no-referrer")
        }
        return response
    }

    /// A body with its tag; left out where the request knows the tag (RFC 9110 section 13.1.2).
    private static func tagged(_ body: [UInt8], _ tag: String, type: String, for head: RequestHead) -> Response {
        let isKnown = head.headers.elements("if-none-match").contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
        var response = isKnown ? Response(status: 304) : Response(status: 200, body: body)
        if !isKnown { response.headers.append("Content-Type", type) }
        response.headers.append("ETag", tag)
        return response
    }

    /// A refusal, with its status.
    static func error(_ refusal: RequestRefusal) -> Response {
        var response = error(refusal.code.httpStatus, refusal.code, refusal.message)
        switch refusal.code {
        case .rateLimited, .unavailable:
            let milliseconds = max(1, refusal.retryAfterMilliseconds ?? 1_000)
            response.headers.append("Retry-After", String((milliseconds - 1) / 1_000 + 1))
        case .unauthorized: response.headers.append("WWW-Authenticate", "Bearer")
        default: break
        }
        return response
    }

    /// An error as JSON.
    static func error(_ status: Int, _ code: ErrorCode, _ message: String) -> Response {
        var body: [UInt8] = []
        ErrorBody(code: code, message: message).append(to: &body)
        var response = Response(status: status, body: body)
        response.headers.append("Content-Type", "application/json")
        response.headers.append("Cache-Control", "no-store")
        return response
    }
}
