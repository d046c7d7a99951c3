import Broker
import HTTP
import Transport
import WebSocket
import Wire

extension HTTPConnection {
    /// Makes the connection a WebSocket, where that is asked for in the right way.
    func upgrade(_ head: RequestHead, _ target: Target) {
        let answer = ServerHandshake.answer(
            method: head.method, minorVersion: head.minorVersion, headers: head.headers.pairs,
            subprotocols: ["fanfare.v1.json"], deflate: deflate)
        switch answer {
        case .notAnUpgrade:
            var response = Response.error(426, .badRequest, "this address speaks WebSocket")
            response.headers.append("Upgrade", "websocket")
            respondLast(response, head)
        case .reject(let status, let reason, let headers):
            var response = Response.error(status, .badRequest, reason)
            for (name, value) in headers { response.headers.append(name, value) }
            respondLast(response, head)
        case .accept(let bytes, _, let deflate):
            if head.isChunked || (head.contentLength ?? 0) > 0 {
                return respondLast(.error(400, .badRequest, "an upgrade has no body"), head)
            }
            guard context.allows(origin: head.headers["origin"], host: head.host) else {
                return respondLast(.error(403, .forbidden, "pages of this origin may not connect"), head)
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
        guard let place = context.admit(stream.peer, hub.limits) else {
            return respondLast(.error(.full), head)
        }
        guard hub.asksBeforeConnecting else { return become(response, deflate, identity, place) }
        awaitVerdict()
        hub.askToConnect(user: identity?.user, from: stream.peer, origin: head.headers["origin"]) { [self] refusal in
            guard phase == .answer else { return }
            if let refusal { return respondLast(.error(refusal), head) }
            // The token may have run out, or been revoked, while the hook was asked.
            do throws(Authenticator.Failure) { _ = try context.identify(head, target) } catch {
                return respondLast(.error(RequestRefusal(.unauthorized, error.words)), head)
            }
            become(response, deflate, identity, place)
        }
    }

    private func become(
        _ response: [UInt8], _ deflate: DeflateParameters?, _ identity: Identity?, _ place: Admissions.Place
    ) {
        let rest = leave()
        guard !hasReadAll else { return stream.finish() }
        stream.resumeReading()
        hub.count(answerWith: 101)
        stream.send(copying: response)
        hub.adopt(stream, identity: identity, place: place, deflate: deflate, bytes: rest)
    }
}
