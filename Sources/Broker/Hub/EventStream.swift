import HTTP
import Transport
import Wire

/// One stream of Server-Sent Events: a subscription told as lines of text, over a response that does not end.
///
/// It is begun by the reply to its `subscribe`: only then the stream is taken over and the response's head is sent.
final class EventStream: Recipient {
    private let stream: ByteStream
    private let place: Admissions.Place
    private let traced: TraceContext?
    /// The response's head.
    private let head: [UInt8]
    /// Whether the head is all that was asked for.
    private let omitsBody: Bool
    /// Where a refusal of the subscription goes; `nil` once the stream has begun or was refused.
    private var refuse: ((RequestRefusal) -> Void)?
    private var hasBegunToClose = false
    private var timer: TimerToken?
    private var nextHeartbeat: MonotonicTime
    /// When the token runs out.
    private var identityEnds: MonotonicTime?

    /// `phase`, 0..<1, spreads the heartbeats of many.
    init(
        _ stream: ByteStream, head: [UInt8], omitsBody: Bool, session: Session, hub: Hub, place: Admissions.Place,
        phase: Double, trace: TraceContext?, refuse: @escaping (RequestRefusal) -> Void
    ) {
        self.stream = stream
        self.place = place
        self.head = head
        self.omitsBody = omitsBody
        traced = trace
        self.refuse = refuse
        nextHeartbeat =
            stream.loop.now + .milliseconds(Int(phase * Double(hub.limits.heartbeatMilliseconds)))
        super.init(session: session, hub: hub)
    }

    private var limits: BrokerSettings.Limits { hub.limits }

    /// Takes the stream over.
    private func begin() {
        refuse = nil
        stream.delegate = self
        hub.count(answerWith: 200)
        stream.send(copying: head)
        if omitsBody {
            hasBegunToClose = true
            stream.finish()
        } else {
            stream.resumeReading()
            schedule()
        }
    }

    private func end(with refusal: RequestRefusal) {
        guard let refuse else { return }
        self.refuse = nil
        hasBegunToClose = true
        hub.enter(with: self) { $0.closed($1) }
        refuse(refusal)
    }

    // MARK: Sending

    override var isClosing: Bool { hasBegunToClose }

    override var isBlocked: Bool { stream.isBlocked }

    override var address: String? { stream.peerAddress }

    override var trace: TraceContext? { traced }

    override var stalledSince: MonotonicTime? { stream.stalledSince }

    override var bytesSent: UInt64 { stream.bytesSent }

    override var bytesReceived: UInt64 { stream.bytesReceived }

    override var queuedBytes: Int { stream.queuedBytes }

    override var clientAddress: ClientAddress? { place.source }

    override func send(frames: Span<UInt8>) {
        var text: [UInt8] = []
        var isOver = false
        frames.forEachPayload { payload in
            if refuse != nil {
                if let refusal = RequestRefusal(payload) { return end(with: refusal) }
                begin()
            }
            text.append(event: payload, id: summaryID(of: payload))
            if payload.isMessage(ofType: "unsubscribed") { isOver = true }
        }
        guard !isClosing else { return }
        stream.send(copying: text)
        guard isOver else { return }
        hasBegunToClose = true
        stream.finish()
    }

    /// The id of a summary that comes with a reply: what was missed before the stream was resumed.
    private func summaryID(of payload: Span<UInt8>) -> (epoch: String, seq: UInt64)? {
        guard payload.isMessage(ofType: "summary"), case .summary(_, let seq, _) = try? BrokerMessage.decode(payload)
        else { return nil }
        return (hub.epoch, seq)
    }

    override func send(_ frame: SharedBytes) {
        send(frame, id: nil)
    }

    override func send(summary frame: SharedBytes, seq: UInt64) {
        send(frame, id: (hub.epoch, seq))
    }

    private func send(_ frame: SharedBytes, id: (epoch: String, seq: UInt64)?) {
        guard !isClosing else { return }
        var text: [UInt8] = []
        frame.withSpan { $0.forEachPayload { text.append(event: $0, id: id) } }
        stream.send(copying: text)
    }

    override func offer(_ batch: EventBatch, _ events: Range<Int>) -> Bool {
        guard !isClosing else { return true }
        let waiting = stream.queuedBytes
        let text = text(of: batch, events)
        guard waiting == 0 || waiting + text.count <= limits.outboundBytes else {
            stream.awaitDrain()
            return false
        }
        stream.send(copying: text)
        return true
    }

    override func send(_ batch: EventBatch, _ events: Range<Int>) {
        if !isClosing { stream.send(copying: text(of: batch, events)) }
    }

    private func text(of batch: EventBatch, _ events: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        batch.bytes.withSpan { bytes in
            for mark in batch.marks[events] {
                let id = mark.seq > 0 ? (hub.epoch, mark.seq) : nil
                bytes.extracting(mark.frame).forEachPayload { text.append(event: $0, id: id) }
            }
        }
        return text
    }

    override func close(code: UInt16, reason: String, retryAfterMilliseconds: Int64?) {
        guard !isClosing else { return }
        guard refuse == nil else {
            let code = code == 4003 ? ErrorCode.forbidden : .unavailable
            return end(with: RequestRefusal(code, reason, retryAfterMilliseconds: retryAfterMilliseconds))
        }
        if let retryAfterMilliseconds { stream.send(copying: Array("retry: \(retryAfterMilliseconds)\n".utf8)) }
        send(.goodbye(code: code, reason: reason, retryAfterMilliseconds: retryAfterMilliseconds))
        tellEnd(code, reason)
        closeCode = code
        hasBegunToClose = true
        stream.finish()
    }

    // MARK: Deadlines

    override func identityEnds(in milliseconds: Int64?) {
        identityEnds = milliseconds.map { stream.loop.now + .milliseconds(max(0, $0)) }
    }

    /// When a reader that takes nothing is dropped; `nil` where nothing waits.
    private var stallEnds: MonotonicTime? {
        stream.stalledSince.map { $0 + .milliseconds(limits.stallMilliseconds) }
    }

    private func schedule() {
        var due = nextHeartbeat
        if let identityEnds { due = min(due, identityEnds) }
        if let stallEnds { due = min(due, stallEnds) }
        let now = stream.loop.now
        timer = stream.loop.schedule(self, after: due > now ? due - now : .zero)
    }
}

extension EventStream: TimerHandler {
    func timerFired(_ now: MonotonicTime) {
        timer = nil
        guard !isClosing else { return }
        if let stallEnds, now >= stallEnds {
            hub.count(.stall)
            tellEnd(4008, "too slow a reader")
            closeCode = 4008
            return stream.abort()
        }
        if let identityEnds, now >= identityEnds {
            return close(code: 4001, reason: "the token ran out", retryAfterMilliseconds: 0)
        }
        if now >= nextHeartbeat {
            // A comment, which readers skip; one behind others that wait would say nothing.
            if stream.queuedBytes == 0 { stream.send(copying: Array(":\n\n".utf8)) }
            nextHeartbeat = now + .milliseconds(limits.heartbeatMilliseconds)
        }
        schedule()
    }
}

extension EventStream: ByteStreamDelegate {
    /// A reader has nothing to say.
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {}

    func streamDidFinishReading(_ stream: ByteStream) {
        hasBegunToClose = true
        stream.finish()
    }

    func streamDidDrain(_ stream: ByteStream) {
        guard !isClosing else { return }
        drained()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        hasBegunToClose = true
        if let timer { stream.loop.cancel(timer) }
        timer = nil
        hub.enter(with: self) { $0.closed($1) }
    }
}

extension [UInt8] {
    /// Appends a message as one event of a stream (HTML standard, section 9.2 "Server-sent events").
    ///
    /// A line break, which is white space of JSON where it stands by itself, would end the line; the reader puts it back.
    fileprivate mutating func append(event payload: Span<UInt8>, id: (epoch: String, seq: UInt64)?) {
        if let id { append(contentsOf: "id: \(id.epoch)/\(id.seq)\n".utf8) }
        append(contentsOf: "data: ".utf8)
        var start = 0
        for index in payload.indices where payload[index] == 0x0A || payload[index] == 0x0D {
            append(payload.extracting(start..<index))
            append(contentsOf: "\ndata: ".utf8)
            start = index + 1
        }
        append(payload.extracting(start...))
        append(contentsOf: "\n\n".utf8)
    }
}
