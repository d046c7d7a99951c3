public import HTTP
public import Transport
public import Wire

/// The connection by which HTTP requests come, as far as limits tell connections apart.
public struct HTTPExchange: Sendable {
    let number: UInt64
    let peer: SocketAddress
    let trace: TraceContext?

    /// Makes one of a number that ``Hub/makeExchange()`` gave, the client's address and the trace of the request.
    public init(number: UInt64, address: SocketAddress, trace: TraceContext? = nil) {
        self.number = number
        peer = address
        self.trace = trace
    }
}

// Those who have no WebSocket: single requests, and streams of events.
extension Hub {
    /// Asks for one thing in the name of `identity`; `reply` gets the reply, once: the bytes of its JSON, or the refusal.
    ///
    /// `exchange` is where the request comes from. Called on the hub's loop; the reply comes there too, possibly before this
    /// returns.
    public nonisolated func ask(
        _ request: Request.Body, as identity: Identity, over exchange: HTTPExchange? = nil,
        reply: @escaping (Result<[UInt8], RequestRefusal>) -> Void
    ) -> PendingReply {
        let pending = PendingReply()
        enter(with: (pending, reply)) { hub, asking in
            guard !hub.isDraining else { return asking.1(.failure(.stopping)) }
            let recipient = SingleRequest(
                session: hub.session(for: identity), hub: hub, exchange: exchange, reply: asking.1)
            asking.0.recipient = recipient
            hub.add(recipient, asking: request)
        }
        return pending
    }

    /// Subscribes in the name of `identity` and tells what comes of it as Server-Sent Events.
    ///
    /// Called on the hub's loop. The stream holds its place among the connections until it ends. The hub takes the stream over, and sends `head`, when the subscription has begun; else
    /// `refused` is told, and the stream is the caller's as before. With `omitsBody` the head is all that is sent.
    public nonisolated func follow(
        _ subscribe: Request.Subscribe, as identity: Identity, on stream: ByteStream, place: Admissions.Place,
        head: [UInt8], omitsBody: Bool, trace: TraceContext?, refused: @escaping (RequestRefusal) -> Void
    ) -> PendingReply {
        let pending = PendingReply()
        enter(with: (pending, stream, refused)) { hub, asking in
            guard !hub.isDraining else { return asking.2(.stopping) }
            let recipient = EventStream(
                asking.1, head: head, omitsBody: omitsBody, session: hub.session(for: identity), hub: hub,
                place: place, phase: hub.phases.next(), trace: trace, refuse: asking.2)
            asking.0.recipient = recipient
            hub.setIdentityDeadline(of: recipient)
            hub.add(recipient, asking: .subscribe(subscribe))
        }
        return pending
    }

    /// Counts what was sent over a stream that never became the hub's; called on the loop.
    public nonisolated func count(sentOver stream: ByteStream) {
        enter(with: stream) { hub, stream in
            hub.metrics.bytesSent += stream.bytesSent
            hub.metrics.bytesReceived += stream.bytesReceived
        }
    }

    /// A number for a connection that speaks HTTP; called on the loop.
    public nonisolated func makeExchange() -> UInt64 {
        onLoop { hub in
            hub.exchanges += 1
            return hub.exchanges
        }
    }

    /// Counts an answer to an HTTP request; called on the loop.
    public nonisolated func count(answerWith status: Int) {
        onLoop { $0.metrics.count(answerWith: status) }
    }

    /// Counts a connection on which TLS has failed; called on the loop.
    public nonisolated func count(_ failure: TLSFailure) {
        onLoop { $0.metrics.tlsFailures.count(failure) }
    }

    private func session(for identity: Identity) -> Session {
        Session(key: recipients.reserve(on: index), identity: identity, repliesAlways: true)
    }

    private func add(_ recipient: Recipient, asking request: Request.Body) {
        recipients[recipient.session.key] = recipient
        var requests: ArraySlice = [Result<Request, BadRequest>.success(Request(request))]
        receive(&requests, from: recipient)
    }
}
