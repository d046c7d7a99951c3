public import HTTP
public import Transport
public import WebSocket
import Wire

// The connections that this hub's loop accepted.
extension Hub {
    /// Takes over a stream whose opening handshake is done, and the bytes that came right behind it.
    ///
    /// It holds its place among the connections until it ends; `deflate` is what the handshake has agreed on, `trace`
    /// that of the upgrade. The answer to that, with status 101, is counted. Called on the hub's loop.
    public nonisolated func adopt(
        _ stream: ByteStream, identity: Identity?, place: Admissions.Place, deflate: DeflateParameters?,
        trace: TraceContext? = nil, bytes: [UInt8]
    ) {
        enter(with: stream) {
            $0.add($1, identity: identity, place: place, deflate: deflate, trace: trace, bytes: bytes)
        }
    }

    private func add(
        _ stream: ByteStream, identity: Identity?, place: Admissions.Place, deflate: DeflateParameters?,
        trace: TraceContext?, bytes: [UInt8]
    ) {
        metrics.count(answerWith: 101)
        let key = recipients.reserve(on: index)
        let connection = Connection(
            stream, session: Session(key: key, identity: identity), hub: self, place: place,
            deflate: deflate, phase: phases.next(), trace: trace)
        recipients[key] = connection
        let limits = limits
        connection.send(
            .welcome(
                Welcome(
                    connection: key.description, user: identity?.user, time: now,
                    heartbeatMilliseconds: Int64(limits.heartbeatMilliseconds), maxMessageBytes: limits.messageBytes,
                    maxSubscriptions: limits.subscriptions)))
        setIdentityDeadline(of: connection)
        guard !isDraining else { return sayGoodbye(to: connection) }
        connection.begin(with: bytes)
    }

    func setIdentityDeadline(of recipient: Recipient) {
        if let identity = recipient.session.identity {
            recipient.identityEnds(in: identity.expires.map { $0 + settings.authenticator.leeway - now })
        } else {
            recipient.identityEnds(in: Int64(settings.limits.identifyMilliseconds))
        }
    }

    func recipient(_ key: ConnectionKey) -> Recipient? { recipients[key] }

    /// A recipient is gone: its subscriptions end.
    func closed(_ recipient: Recipient) {
        guard recipients[recipient.session.key] === recipient else { return }
        for subscription in recipient.subscriptions { end(subscription) }
        metrics.count(ended: recipient)
        recipients.free(recipient.session.key)
        reportIfEmpty()
    }

    /// Takes requests in the order in which they came; unless they are the last, only some in a turn, only as long as not
    /// too many answers are owed, and not too many wait for hooks.
    func receive(
        _ requests: inout ArraySlice<Result<Request, BadRequest>>, from recipient: Recipient, areLast: Bool = true
    ) {
        gather { take(&requests, from: recipient, areLast: areLast) }
    }

    private func take(
        _ requests: inout ArraySlice<Result<Request, BadRequest>>, from recipient: Recipient, areLast: Bool
    ) {
        let now = now
        let inForce = unsafe settingsOnLoop
        var left = areLast ? Int.max : Recipient.requestsPerTurn
        while !recipient.isClosing, left > 0, areLast || recipient.mayAsk, let request = requests.popFirst() {
            left -= 1
            metrics.requests.count(RequestKind(request))
            carryOut(inForce.judge(request, in: &recipient.session, now: now), for: recipient)
        }
    }

    private func carryOut(_ step: Session.Step, for recipient: Recipient) {
        switch step {
        case .ask(var request):
            request.origin.address = recipient.clientAddress
            request.origin.exchange = recipient.exchange
            request.origin.receivedAt = loop.now.nanoseconds
            if request.origin.isBulky { recipient.unanswered += 1 }
            if case .refused(.tooManySubscriptions, _) = request.body { metrics.limits.count(.subscriptions) }
            pass(request, from: recipient)
        case .say(let message):
            if case .error(_, let code, _, _) = message { metrics.count(code) }
            recipient.send(message)
        case .nothing: break
        case .authenticated(let reply, let ended):
            if let reply { recipient.send(reply) }
            for request in ended { pass(request, from: recipient) }
            setIdentityDeadline(of: recipient)
        case .close(let code, let reason):
            if code == 4000 { metrics.limits.count(.malformedMessages) }
            recipient.close(code: code, reason: reason, retryAfterMilliseconds: 1_000)
        }
    }

    /// How many connections there are.
    public var connectionCount: Int { recipients.count }
}
