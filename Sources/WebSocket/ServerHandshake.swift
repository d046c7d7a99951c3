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
        guard HandshakeFields.hasElement("upgrade", "websocket", in: headers) else { return .notAnUpgrade }
        guard method == "GET" else {
            return .reject(status: 405, reason: "a WebSocket handshake is a GET", headers: [("Allow", "GET")])
        }
        guard minorVersion >= 1 else { return badRequest("a WebSocket handshake needs HTTP/1.1") }
        guard HandshakeFields.values("host", in: headers).count == 1 else { return badRequest("one Host is needed") }
        guard HandshakeFields.hasElement("connection", "upgrade", in: headers) else {
            return badRequest("Connection lacks upgrade")
        }
        let versions = HandshakeFields.values("sec-websocket-version", in: headers)
        guard versions.count <= 1 else { return badRequest("more than one Sec-WebSocket-Version") }
        guard versions.first == "13" else {
            return .reject(
                status: 426, reason: "only WebSocket version 13 is spoken here",
                headers: [("Sec-WebSocket-Version", "13")])
        }
        let keys = HandshakeFields.values("sec-websocket-key", in: headers)
        guard let key = keys.first, keys.count == 1, Base64.decodedCount(key) == 16 else {
            return badRequest("one Sec-WebSocket-Key of 16 bytes is needed")
        }
        guard let extensions = ExtensionElement.all(in: headers) else {
            return badRequest("Sec-WebSocket-Extensions is malformed")
        }
        let offered = HandshakeFields.elements("sec-websocket-protocol", in: headers)
        let chosen = supported.first { offered.contains($0) }
        let deflate = settings?.accept(extensions)
        return .accept(
            response: response(to: key, subprotocol: chosen, extensions: deflate?.answer), subprotocol: chosen,
            deflate: deflate?.parameters)
    }

    private static func badRequest(_ reason: String) -> Answer {
        .reject(status: 400, reason: reason, headers: [])
    }

    private static func response(to key: String, subprotocol: String?, extensions: String?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
        add("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ")
        add(HandshakeFields.acceptKey(for: key))
        if let subprotocol {
            add("\r\nSec-WebSocket-Protocol: ")
            add(subprotocol)
        }
        if let extensions {
            add("\r\nSec-WebSocket-Extensions: ")
            add(extensions)
        }
        add("\r\n\r\n")
        return bytes
    }
}
