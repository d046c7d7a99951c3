import Broker
import HTTP
import Synchronization
import Transport
import WebSocket
import Wire

/// One connection that speaks HTTP, until it becomes a WebSocket or a stream of events, or ends.
///
/// Requests are answered one after the other, in the order in which they came. While one waits for its answer, or too
/// much that was answered waits to be read, the next ones wait in the socket.
final class HTTPConnection {
    /// What the connection is about.
    enum Phase {
        /// A head is awaited or arrives.
        case head
        /// A body arrives.
        case body
        /// The answer is awaited.
        case answer
        /// The stream is no longer this object's: closed, closing, or another's now.
        case done
    }

    /// The request under way.
    struct Exchange {
        let head: RequestHead
        let target: Target
        let endpoint: Route.Endpoint
        var body: BodyReader
    }

    let stream: ByteStream
    let context: Context
    let hub: Hub
    /// What the listener wants of compression; `nil`: nothing.
    let deflate: DeflateSettings?
    private(set) var phase = Phase.head
    private(set) var exchange: Exchange?
    private var parser: RequestHeadParser
    /// Its place among the connections that speak HTTP.
    private let place: Admissions.Place
    /// Whether a request has come.
    private var hasBegun = false
    /// What came and is not taken yet, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0
    private var pending: PendingReply?
    /// What limits know the connection by, once it has asked for something.
    private var exchangeNumber: UInt64?
    private var timer: TimerToken?
    private var isProcessing = false
    /// Whether the next request waits until the reader has taken more.
    private var isHeld = false
    /// Whether the peer has sent all that it will.
    private(set) var hasReadAll = false

    /// Serves a new connection, or ends it where it is one too many.
    static func serve(_ stream: ByteStream, hub: Hub, context: Context, deflate: DeflateSettings?) {
        guard let place = context.admit(passing: stream.peer, to: hub) else { return stream.abort() }
        _ = HTTPConnection(stream, hub: hub, context: context, deflate: deflate, place: place)
    }

    private init(
        _ stream: ByteStream, hub: Hub, context: Context, deflate: DeflateSettings?, place: Admissions.Place
    ) {
        self.stream = stream
        self.hub = hub
        self.context = context
        self.deflate = deflate
        self.place = place
        parser = RequestHeadParser(limits: HTTPLimits(maxHeadBytes: hub.limits.headerBytes))
        stream.delegate = self
        // The proxy's header, where there is one, has used up some of it.
        timer = stream.loop.schedule(
            self, at: stream.receivedAt.adding(milliseconds: hub.limits.handshakeMilliseconds))
    }

    /// How long a first head, and each body, may take to arrive.
    private var untilArrived: Duration { .milliseconds(hub.limits.handshakeMilliseconds) }

    /// How long a connection may rest between two requests, the second one's head included.
    private var untilIdle: Duration { .milliseconds(hub.limits.idleMilliseconds) }

    private func setTimer(_ delay: Duration?) {
        if let timer { stream.loop.cancel(timer) }
        timer = delay.map { stream.loop.schedule(self, after: $0) }
    }

    /// Lets go of the stream, which ends or has another delegate from now on; gives what came behind the last request.
    @discardableResult
    func leave() -> [UInt8] {
        phase = .done
        setTimer(nil)
        defer {
            buffer = []
            start = 0
        }
        return Array(buffer[start...])
    }

    // MARK: Requests

    /// Answers what has come, as far as it goes.
    private func process() {
        guard !isProcessing else { return }
        isProcessing = true
        while step() {}
        isProcessing = false
        settle()
    }

    /// Takes the next step; `false` where something must come first: bytes, an answer, or room for it.
    private func step() -> Bool {
        guard !isCongested else { return false }
        do throws(HTTPError) {
            switch phase {
            case .head:
                if start < buffer.count, !stream.isTLS, isTLS(buffer[start...]) {
                    return endTLSAtPlainPort()
                }
                guard start < buffer.count, let (head, consumed) = try parser.parse(buffer.span.extracting(start...))
                else { return false }
                start += consumed
                hasBegun = true
                try begin(head)
                // Who became another kind, or may, sends no body.
                if phase != .done, phase != .answer { setTimer(untilArrived) }
            case .body:
                start += try exchange?.body.receive(buffer.span.extracting(start...)) ?? 0
                guard let exchange, exchange.body.isComplete else { return false }
                phase = .answer
                answer(exchange)
            case .answer, .done: return false
            }
        } catch {
            if let limit = error.limit { hub.count(limit) }
            respond(.error(error.status, error.status == 413 ? .tooLarge : .badRequest, error.reason), isLast: true)
        }
        return phase != .done
    }

    /// The peer speaks TLS where none is spoken: no answer would be understood.
    private func endTLSAtPlainPort() -> Bool {
        context.tellTLSAtPlainPort(of: stream)
        leave()
        stream.finish()
        return false
    }

    /// Waits for what must come first.
    private func settle() {
        buffer.removeFirst(min(start, buffer.count))
        start = 0
        switch phase {
        case .done: return
        case .answer: setTimer(nil)
        case .head, .body:
            let wasHeld = isHeld
            isHeld = isCongested
            if isHeld {
                stream.pauseReading()
                setTimer(untilStalled)
            } else if hasReadAll {
                leave()
                stream.finish()
            } else {
                stream.resumeReading()
                if timer == nil || wasHeld { setTimer(untilIdle) }
            }
        }
    }

    /// Finds out what a request is for; it is answered when its body is there.
    private func begin(_ head: RequestHead) throws(HTTPError) {
        // OPTIONS alone has this target, which means the server as a whole (RFC 9110 section 9.3.7).
        if head.target == "*" { return refuse(options(of: Route.allMethods, for: head), head) }
        guard let target = Target(head.target) else {
            return respond(.error(400, .badRequest, "the target is not percent-encoded UTF-8"), isLast: true)
        }
        guard let route = Route(target.path, context) else {
            return refuse(.error(404, .notFound, "there is nothing at this address"), head)
        }
        if case .webSocket = route.endpoint { return upgrade(head, target) }
        if head.method == "OPTIONS" { return refuse(options(of: route.methods, for: head), head) }
        guard route.takes(head.method) else {
            var response = Response.error(405, .methodNotAllowed, "this address does not take the method")
            response.headers.append("Allow", Route.list(route.methods))
            return refuse(response, head)
        }
        let body: BodyReader
        do throws(HTTPError) {
            body = try BodyReader(for: head, limit: hub.limits.messageBytes)
        } catch {
            hub.count(.messageBytes)
            return refuse(.error(error.status, .tooLarge, error.reason), head)
        }
        if head.expectsContinue, start == buffer.count {
            var bytes: [UInt8] = []
            Response.appendContinue(to: &bytes)
            stream.send(copying: bytes)
        }
        exchange = Exchange(head: head, target: target, endpoint: route.endpoint, body: body)
        phase = .body
    }

    /// Where a request comes from, as limits tell connections apart.
    func source(of head: RequestHead) -> HTTPExchange {
        let number = exchangeNumber ?? hub.makeExchange()
        exchangeNumber = number
        return HTTPExchange(number: number, address: client(of: head).address, trace: TraceContext(head.headers))
    }

    // MARK: Answers

    /// Waits for what a hub answers; it may have done so before this is called.
    func wait(for pending: PendingReply) {
        if phase == .answer { self.pending = pending }
    }

    /// Waits until it is decided whether the connection may become another kind.
    func awaitVerdict() {
        phase = .answer
    }

    /// Gives the answer to the request under way; `isTold`: the log has the reason already.
    func finish(_ response: Response, isTold: Bool = false) {
        guard phase == .answer, let head = exchange?.head else { return }
        pending = nil
        if !isTold { tell(response, to: head) }
        respond(response, to: head)
        process()
    }

    /// Says that something is wrong here, and not with the request.
    private func tell(_ response: Response, to head: RequestHead) {
        switch exchange?.endpoint {
        case .resource, .revocation:
            guard response.status >= 500, !context.isLeaving.load(ordering: .relaxed) else { return }
            context.log.say(
                .warning, .answer, trace: TraceContext(head.headers),
                "an HTTP request (\(head.method)) was answered with \(response.status)")
        default: break
        }
    }

    /// Answers before the body is read: where there is one, the connection ends.
    func refuse(_ response: Response, _ head: RequestHead) {
        respond(response, to: head, isLast: head.isChunked || (head.contentLength ?? 0) > 0)
    }

    /// Answers and ends the connection.
    func respondLast(_ response: Response, _ head: RequestHead) {
        respond(response, to: head, isLast: true)
    }

    private func respond(_ response: Response, to head: RequestHead? = nil, isLast: Bool = false) {
        var response = response
        if let head = head ?? exchange?.head { addCrossOrigin(to: &response.headers, for: head) }
        let keepsAlive =
            !isLast && head?.keepsAlive == true && !context.isLeaving.load(ordering: .relaxed)
        hub.count(answerWith: response.status)
        var bytes: [UInt8] = []
        response.append(to: &bytes, keepAlive: keepsAlive, omitsBody: head?.method == "HEAD")
        stream.send(copying: bytes)
        exchange = nil
        phase = .head
        if !keepsAlive {
            leave()
            stream.finish()
        }
    }

    // MARK: Slow readers

    /// Whether so much waits for the reader that nothing more is answered.
    private var isCongested: Bool {
        stream.isBlocked || stream.queuedBytes > hub.limits.outboundBytes
    }

    /// How long until a reader that takes nothing is dropped; no time at all where the kernel has not been asked yet.
    private var untilStalled: Duration {
        guard stream.isBlocked, let since = stream.stalledSince else { return .zero }
        let end = since + .milliseconds(hub.limits.stallMilliseconds)
        return max(.zero, end - stream.loop.now)
    }
}

extension HTTPConnection: ByteStreamDelegate {
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard phase != .done else { return }
        // The bytes are valid for the closure, and the buffer copies them.
        unsafe bytes.bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
        if phase == .answer { stream.pauseReading() } else { process() }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        hasReadAll = true
        if case .resource(let resource) = exchange?.endpoint, phase == .answer, resource.kind == .stream {
            leave()  // nobody is there to follow it
            pending?.cancel()
            stream.finish()
        } else {
            process()
        }
    }

    func streamDidDrain(_ stream: ByteStream) {
        process()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        if case .timedOut = error, phase != .done { hub.count(.handshake) }
        leave()
        pending?.cancel()
        hub.count(sentOver: stream)
        if let failure = error?.tlsFailure { hub.count(failure) }
        context.tell(error, of: stream)
    }
}

extension HTTPConnection: TimerHandler {
    func timerFired(_ now: MonotonicTime) {
        timer = nil
        if isHeld {
            if stream.isBlocked, untilStalled == .zero {
                hub.count(.stall)
                stream.abort()
            } else {
                process()
            }
        } else if start < buffer.count || phase == .body {
            hub.count(phase == .body || !hasBegun ? .handshake : .idle)
            respond(.error(408, .badRequest, "the request took too long to arrive"), isLast: true)
        } else if phase == .head {
            hub.count(hasBegun ? .idle : .handshake)
            leave()
            stream.finish()
        }
    }
}

extension HTTPError {
    /// The bound that was hit.
    fileprivate var limit: LimitName? {
        switch status {
        case 414, 431: .headerBytes
        case 413: .messageBytes
        default: nil
        }
    }
}
