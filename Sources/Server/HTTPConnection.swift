import Broker
import HTTP
import Transport
import WebSocket
import Wire

/// One connection that speaks HTTP, until it becomes a WebSocket or ends.
final class HTTPConnection {
    /// How long a request may take to arrive, and how long a connection may rest between two.
    static let patience = Duration.seconds(10)

    private let stream: ByteStream
    private let context: Context
    private let hub: Hub
    private var parser = RequestHeadParser(limits: HTTPLimits())
    private var buffer: [UInt8] = []
    private var timer: TimerToken?
    /// Whether the stream is no longer this object's: closed, closing, or a WebSocket now.
    private var isDone = false

    init(_ stream: ByteStream, hub: Hub, context: Context) {
        self.stream = stream
        self.hub = hub
        self.context = context
        stream.delegate = self
        rest()
    }

    private func rest() {
        if let timer { stream.loop.cancel(timer) }
        timer = stream.loop.schedule(self, after: HTTPConnection.patience)
    }

    /// Answers what the buffer holds, as far as it goes.
    private func process() {
        while !isDone, !buffer.isEmpty {
            do throws(HTTPError) {
                guard let (head, consumed) = try parser.parse(buffer.span) else { return }
                buffer.removeFirst(consumed)
                parser = RequestHeadParser(limits: HTTPLimits())
                rest()
                handle(head)
            } catch {
                respond(.error(error.status, .badRequest, error.reason), keepAlive: false)
            }
        }
    }

    private func handle(_ head: RequestHead) {
        guard let target = Target(head.target) else {
            return respond(.error(400, .badRequest, "the target is not percent-encoded UTF-8"), keepAlive: false)
        }
        if target.path == ["v1", "ws"] { return upgrade(head, target) }
        // No request that is served here has a body; one that brings it is answered, and the connection ends.
        let keepAlive = head.keepsAlive && !hasBody(head)
        respond(Routes.response(to: head, target, context), keepAlive: keepAlive, omitsBody: head.method == "HEAD")
    }

    private func hasBody(_ head: RequestHead) -> Bool {
        head.isChunked || (head.contentLength ?? 0) > 0
    }

    private func respond(_ response: Response, keepAlive: Bool, omitsBody: Bool = false) {
        var bytes: [UInt8] = []
        response.append(to: &bytes, keepAlive: keepAlive, omitsBody: omitsBody)
        stream.send(copying: bytes)
        if !keepAlive {
            leave()
            stream.finish()
        }
    }

    private func leave() {
        isDone = true
        if let timer { stream.loop.cancel(timer) }
        timer = nil
    }

    // MARK: WebSocket

    private func upgrade(_ head: RequestHead, _ target: Target) {
        let answer = ServerHandshake.answer(
            method: head.method, minorVersion: head.minorVersion, headers: head.headers.pairs,
            subprotocols: ["fanfare.v1.json"])
        switch answer {
        case .notAnUpgrade:
            var response = Response.error(426, .badRequest, "this address speaks WebSocket")
            response.headers.append("Upgrade", "websocket")
            respond(response, keepAlive: false)
        case .reject(let status, let reason, let headers):
            var response = Response.error(status, .badRequest, reason)
            for (name, value) in headers { response.headers.append(name, value) }
            respond(response, keepAlive: false)
        case .accept(let bytes, _):
            if hasBody(head) {
                return respond(.error(400, .badRequest, "an upgrade has no body"), keepAlive: false)
            }
            guard context.allows(origin: head.headers["origin"], host: head.host) else {
                return respond(.error(403, .forbidden, "pages of this origin may not connect"), keepAlive: false)
            }
            accept(with: bytes, head, target)
        }
    }

    private func accept(with response: [UInt8], _ head: RequestHead, _ target: Target) {
        let identity: Identity?
        do throws(Authenticator.Failure) {
            identity = try context.identify(head, target)
        } catch {
            return respond(.error(401, .unauthorized, error.words), keepAlive: false)
        }
        guard let place = context.broker.admissions.admit(stream.peer, context.broker.settings.limits) else {
            var response = Response.error(503, .unavailable, "too many are connected; try later")
            response.headers.append("Retry-After", String(Int.random(in: 1...5)))
            return respond(response, keepAlive: false)
        }
        leave()
        stream.send(copying: response)
        hub.adopt(stream, identity: identity, place: place, bytes: buffer)
        buffer = []
    }
}

extension HTTPConnection: ByteStreamDelegate {
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard !isDone else { return }
        let arrived = bytes.bytes
        buffer.reserveCapacity(buffer.count + arrived.byteCount)
        for offset in arrived.byteOffsets {
            buffer.append(unsafe arrived.unsafeLoad(fromByteOffset: offset, as: UInt8.self))  // the offset is inside
        }
        process()
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        guard !isDone else { return }
        leave()
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        leave()
        if case .tls(let words) = error { context.log.info("TLS with \(stream.peerAddress) failed: \(words)") }
    }
}

extension HTTPConnection: TimerHandler {
    func timerFired(_ now: MonotonicTime) {
        timer = nil
        guard !isDone else { return }
        if buffer.isEmpty {
            leave()
            stream.finish()
        } else {
            respond(.error(408, .badRequest, "the request took too long to arrive"), keepAlive: false)
        }
    }
}
