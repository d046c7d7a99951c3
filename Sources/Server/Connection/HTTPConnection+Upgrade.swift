import Broker
import HTTP
import Transport
import WebSocket
import Wire

extension HTTPConnection {
    /// What a handshake begins with.
    private static let handshake = HandshakeRequest(subprotocols: ["fanfare.v1.json"])

    /// Makes the connection a WebSocket, where that is asked for in the right way.
    func upgrade(_ head: RequestHead, _ target: Target) {
        var request = Self.handshake
        head.headers.forEach { request.take(name: $0, value: $1) }
        let answer = ServerHandshake.answer(
            request, method: head.method, minorVersion: head.minorVersion, deflate: deflate)
        switch answer {
        case .notAnUpgrade:
            var response = Response.error(426, .badRequest, "this address speaks WebSocket")
            response.headers.append("Upgrade", "websocket")
            response.headers.append("Sec-WebSocket-Version", "13")
            respondLast(response, head)
        case .reject(let status, let reason, let headers):
            var response = Response.error(status, .badRequest, reason)
            for (name, value) in headers { response.headers.append(name, value) }
            // RFC 9110 section 15.5.22.
            if status == 426 { response.headers.append("Upgrade", "websocket") }
            respondLast(response, head)
        case .accept(let bytes, _, let deflate):
            if head.isChunked || (head.contentLength ?? 0) > 0 {
                return respondLast(.error(400, .badRequest, "an upgrade has no body"), head)
            }
            guard allowsOrigin(of: head) else {
                let words =
                    "pages of this origin may not connect; the settings 'origins' and 'trusted_proxies' say who may"
                return respondLast(.error(403, .forbidden, words), head)
            }
            accept(with: bytes, deflate, head, target)
        }
    }

    private func accept(
        with response: [UInt8], _ deflate: DeflateParameters?, _ head: RequestHead, _ target: Target
    ) {
        let identity: Identity?
        do throws(Authenticator.Failure) {
            identity = try context.identify(head, target)
        } catch {
            return respondLast(.error(RequestRefusal(.unauthorized, error.words)), head)
        }
        let client = client(of: head).address
        guard let place = context.admit(client, to: hub, for: head) else {
            return respondLast(.error(.full), head)
        }
        let trace = TraceContext(head.headers)
        guard hub.asksBeforeConnecting else { return become(response, deflate, identity, place, client, trace) }
        awaitVerdict()
        hub.askToConnect(user: identity?.user, from: client, origin: head.headers["origin"], trace: trace) {
            [self] refusal in
            guard phase == .answer else { return }
            if let refusal { return respondLast(.error(refusal), head) }
            // The token may have run out, or been revoked, while the hook was asked.
            do throws(Authenticator.Failure) { _ = try context.identify(head, target) } catch {
                return respondLast(.error(RequestRefusal(.unauthorized, error.words)), head)
            }
            become(response, deflate, identity, place, client, trace)
        }
    }

    private func become(
        _ response: [UInt8], _ deflate: DeflateParameters?, _ identity: Identity?, _ place: Admissions.Place,
        _ client: SocketAddress, _ trace: TraceContext?
    ) {
        stream.speaks(for: client)
        let rest = leave()
        guard !hasReadAll else { return stream.finish() }
        stream.resumeReading()
        stream.send(copying: response)
        hub.adopt(stream, identity: identity, place: place, deflate: deflate, trace: trace, bytes: rest)
    }
}
