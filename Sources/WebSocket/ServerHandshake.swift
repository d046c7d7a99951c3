/// The server's side of the opening handshake (RFC 6455 section 4.2).
public enum ServerHandshake {
    /// What to say to a request.
    public enum Answer: Sendable {
        /// Send these bytes; what follows on the connection is frames.
        ///
        /// `deflate` says that messages may be compressed, and how; `nil`: they may not.
        case accept(response: [UInt8], subprotocol: String?, deflate: DeflateParameters?)
        /// Refuse with an HTTP status, words for a person, and header fields.
        case reject(status: Int, reason: String, headers: [(String, String)])
        /// The request does not ask for a WebSocket at all.
        case notAnUpgrade
    }

    /// Judges a request that has been parsed.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - minorVersion: The minor version of HTTP/1.
    ///   - headers: The header fields, in order.
    ///   - supported: The subprotocols that this server speaks, the preferred one first. Where the client offers none
    ///     of them, it is accepted without one.
    ///   - settings: What this server wants of permessage-deflate; `nil`: every offer is declined.
    /// - Returns: What to say.
    public static func answer(
        method: String, minorVersion: Int, headers: [(name: String, value: String)], subprotocols supported: [String],
        deflate settings: DeflateSettings? = nil
    ) -> Answer {
        var request = HandshakeRequest(subprotocols: supported)
        for (name, value) in headers { request.take(name: name.utf8.span, value: value.utf8.span) }
        return answer(request, method: method, minorVersion: minorVersion, deflate: settings)
    }

    /// Judges a request whose fields were taken.
    ///
    /// - Parameters:
    ///   - request: What its header fields say.
    ///   - method: The request's method.
    ///   - minorVersion: The minor version of HTTP/1.
    ///   - settings: What this server wants of permessage-deflate; `nil`: every offer is declined.
    /// - Returns: What to say.
    public static func answer(
        _ request: HandshakeRequest, method: String, minorVersion: Int, deflate settings: DeflateSettings? = nil
    ) -> Answer {
        guard request.upgradesToWebSocket else { return .notAnUpgrade }
        guard method == "GET" else {
            return .reject(status: 405, reason: "a WebSocket handshake is a GET", headers: [("Allow", "GET")])
        }
        guard minorVersion >= 1 else { return badRequest("a WebSocket handshake needs HTTP/1.1") }
        guard request.hosts == 1 else { return badRequest("one Host is needed") }
        guard request.connectionUpgrades else { return badRequest("Connection lacks upgrade") }
        guard request.versions <= 1 else { return badRequest("more than one Sec-WebSocket-Version") }
        guard request.isVersion13 else {
            return .reject(
                status: 426, reason: "only WebSocket version 13 is spoken here",
                headers: [("Sec-WebSocket-Version", "13")])
        }
        guard request.keys == 1, let key = request.key else {
            return badRequest("one Sec-WebSocket-Key of 16 bytes is needed")
        }
        guard let extensions = ExtensionElement.all(in: request.extensions) else {
            return badRequest("Sec-WebSocket-Extensions is malformed")
        }
        let deflate = settings?.accept(extensions)
        let subprotocol = request.subprotocol
        return .accept(
            response: response(to: key.span, subprotocol: subprotocol, extensions: deflate?.answer),
            subprotocol: subprotocol, deflate: deflate?.parameters)
    }

    private static func badRequest(_ reason: String) -> Answer {
        .reject(status: 400, reason: reason, headers: [])
    }

    private static let beginning = Array(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ".utf8)

    private static func response(to key: Span<UInt8>, subprotocol: String?, extensions: String?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: beginning)
        HandshakeFields.append(acceptKeyFor: key, to: &bytes)
        if let subprotocol {
            bytes.append("\r\nSec-WebSocket-Protocol: ".utf8.span)
            bytes.append(subprotocol.utf8.span)
        }
        if let extensions {
            bytes.append("\r\nSec-WebSocket-Extensions: ".utf8.span)
            bytes.append(extensions.utf8.span)
        }
        bytes.append("\r\n\r\n".utf8.span)
        return bytes
    }
}
