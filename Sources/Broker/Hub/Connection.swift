import HTTP
import Transport
import WebSocket
import Wire

/// One WebSocket connection: reads its messages, keeps it alive, bounds what waits for it.
final class Connection: Recipient {
    // The order of the properties leaves few gaps.
    private var hasBegunToClose = false
    /// Whether messages may be compressed; that is rare, so nothing else is kept of it here.
    private let isCompressed: Bool
    private let stream: ByteStream
    private let place: Admissions.Place
    private var peer: WebSocketPeer
    private var timer = TimerToken.none
    private var nextPing: MonotonicTime
    /// When it is closed with 4001, since it has not said who it is, or since its token runs out; far away: never.
    private var identityEnds = MonotonicTime.distantFuture
    private var rare: Rare?
    /// When reading last went on after a pause.
    private var readingSince: MonotonicTime

    /// The second in which control frames are counted, and how many have come in it.
    private var controlSecond: UInt32 = 0
    private var controlFrames: UInt32 = 0

    /// What few connections ever need.
    private final class Rare {
        var requests: ArraySlice<Result<Request, BadRequest>>
        let trace: TraceContext?

        init(_ requests: ArraySlice<Result<Request, BadRequest>>, _ trace: TraceContext?) {
            self.requests = requests
            self.trace = trace
        }
    }

    /// Requests that wait until those before them are answered and the answers written; nothing is read meanwhile.
    private var held: ArraySlice<Result<Request, BadRequest>> {
        get { rare?.requests ?? [] }
        set { rare = newValue.isEmpty && trace == nil ? nil : Rare(newValue, trace) }
    }

    /// Takes over a stream whose opening handshake is done.
    ///
    /// `phase`, 0..<1, spreads the heartbeats of many.
    init(
        _ stream: ByteStream, session: Session, hub: Hub, place: Admissions.Place, deflate: DeflateParameters?,
        phase: Double, trace: TraceContext? = nil
    ) {
        self.stream = stream
        self.place = place
        isCompressed = deflate != nil
        let limits = hub.limits
        peer = WebSocketPeer(
            role: .server,
            limits: WebSocketLimits(
                maxFrameBytes: limits.messageBytes, maxMessageBytes: limits.messageBytes,
                maxFragments: limits.fragmentsPerMessage),
            deflate: deflate)
        nextPing = stream.loop.now.adding(milliseconds: Int(phase * Double(limits.heartbeatMilliseconds)))
        readingSince = stream.loop.now
        rare = trace.map { Rare([], $0) }
        super.init(session: session, hub: hub)
        stream.delegate = self
    }

    /// Reads what came right behind the handshake.
    func begin(with bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        var elements = bytes.mutableSpan
        var span = MutableRawSpan(_elements: &elements)
        stream(stream, didReceive: &span)
    }

    private var limits: BrokerSettings.Limits { hub.limits }

    // MARK: Sending

    override var isClosing: Bool { hasBegunToClose }

    override var isBlocked: Bool { stream.isBlocked }

    override var bytesSent: UInt64 { stream.bytesSent }

    override var bytesReceived: UInt64 { stream.bytesReceived }

    override var queuedBytes: Int { stream.queuedBytes }

    override var clientAddress: ClientAddress? { place.source }

    override var trace: TraceContext? { rare?.trace }

    override var stalledSince: MonotonicTime? { stream.stalledSince }

    override func drained() {
        takeRequests()
        guard !isClosing else { return }
        if !held.isEmpty {
            // What waits for answers goes on with them.
            if mayAsk { stream.awaitDrain() }
        } else if stream.isReadingPaused {
            readingSince = stream.loop.now
            stream.resumeReading()
        }
        super.drained()
    }

    override var address: String? { stream.peerAddress }

    override func proceed() {
        if !held.isEmpty { stream.awaitDrain() }
    }

    override func answered() {
        super.answered()
        takeHeldSoon()
    }

    override func replied(_ count: Int32) {
        super.replied(count)
        takeHeldSoon()
    }

    /// Goes on with what is held when much of what was asked before is answered.
    private func takeHeldSoon() {
        if !held.isEmpty, unanswered == 0, Int(asked) <= limits.unansweredRequests / 2 { stream.awaitDrain() }
    }

    override func send(frames: Span<UInt8>) {
        guard !isClosing, !frames.isEmpty else { return }
        guard let form else { return stream.send(copying: frames) }
        var compressed: [UInt8] = []
        unsafe hub.compressor.append(frames, as: form, to: &compressed)
        stream.send(copying: compressed)
    }

    override func send(_ frame: SharedBytes) {
        guard !isClosing else { return }
        stream.send(form.map { unsafe hub.compressor.compressed(frame, as: $0) } ?? frame)
    }

    /// What is made up for comes uncompressed: the channel holds it so, and sends it again without a copy.
    override func send(_ batch: EventBatch, _ events: Range<Int>) {
        if !isClosing { stream.send(batch.bytes, batch.frames(of: events)) }
    }

    override func offer(_ batch: EventBatch, _ events: Range<Int>) -> Bool {
        guard !isClosing else { return true }
        let batch = form.map { unsafe hub.compressor.compressed(batch, events, as: $0) } ?? batch
        let frames = batch.frames(of: events)
        let waiting = stream.queuedBytes
        guard waiting == 0 || waiting + frames.count <= limits.outboundBytes else {
            stream.awaitDrain()
            return false
        }
        stream.send(batch.bytes, frames)
        return true
    }

    /// How its messages are compressed; `nil`: not at all.
    private var form: SharedCompressor.Form? {
        isCompressed ? peer.deflate.map(SharedCompressor.Form.init) : nil
    }

    /// What is queued still goes out.
    override func close(code: UInt16, reason: String, retryAfterMilliseconds: Int64?) {
        guard !isClosing, peer.state == .open else { return }
        send(.goodbye(code: code, reason: reason, retryAfterMilliseconds: retryAfterMilliseconds))
        var frame: [UInt8] = []
        peer.sendClose(code: code, reason: reason, into: &frame)
        stream.send(copying: frame.span)
        tellEnd(code, reason)
        closeCode = code
        hasBegunToClose = true
        stream.finish()
    }

    // MARK: Requests

    /// Takes the requests that wait, then those that have just arrived.
    private func takeRequests(_ arrived: [Result<Request, BadRequest>] = []) {
        guard !held.isEmpty || !arrived.isEmpty else { return }
        hub.enter(with: (self, arrived)) { hub, taken in
            let (connection, arrived) = taken
            var requests = connection.held.isEmpty ? arrived[...] : connection.held + arrived
            connection.held = []
            hub.receive(&requests, from: connection, areLast: false)
            if !requests.isEmpty, Int(connection.asked) >= hub.limits.unansweredRequests {
                hub.metrics.limits.count(.unansweredRequests)
            }
            connection.held = requests
        }
    }

    /// Takes what was sent before the end, save for what has no effect but its reply; nothing while the broker stops.
    private func takeLastRequests() {
        guard !held.isEmpty, !hub.isDraining else { return }
        hub.enter(with: self) { hub, connection in
            var requests = connection.held.filter(\.hasEffect)[...]
            connection.held = []
            hub.receive(&requests, from: connection)
        }
    }

    // MARK: Deadlines

    override func identityEnds(in milliseconds: Int64?) {
        identityEnds = milliseconds.map { stream.loop.now.adding(milliseconds: Int($0)) } ?? .distantFuture
        schedule()
    }

    private var heartbeat: Duration { .milliseconds(limits.heartbeatMilliseconds) }

    /// When a peer that stays silent is dropped; `nil` where nothing is read, so that nobody knows.
    private var silenceEnds: MonotonicTime? {
        guard !stream.isReadingPaused else { return nil }
        let limits = limits
        return max(stream.receivedAt, readingSince).adding(milliseconds: limits.heartbeatMilliseconds)
            .adding(milliseconds: limits.silenceMilliseconds)
    }

    /// When a reader that takes nothing is closed; `nil` where nothing waits.
    private var stallEnds: MonotonicTime? {
        stream.stalledSince.map { $0.adding(milliseconds: limits.stallMilliseconds) }
    }

    private func schedule() {
        stream.loop.cancel(timer)
        var due = min(nextPing, identityEnds)
        if let silenceEnds { due = min(due, silenceEnds) }
        if let stallEnds { due = min(due, stallEnds) }
        timer = stream.loop.schedule(self, at: due)
    }
}

extension Connection: TimerHandler {
    func timerFired(_ now: MonotonicTime) {
        timer = .none
        guard !isClosing else { return }
        if let stallEnds, now >= stallEnds {
            hub.count(.stall)
            return close(code: 4008, reason: "too slow a reader", retryAfterMilliseconds: 1_000)
        }
        if let silenceEnds, now >= silenceEnds {
            hub.count(.silence)
            hub.log.say(
                .info, .ended, trace: trace, "the connection \(session.key) was ended: nothing came from it any more")
            return stream.abort()
        }
        if now >= identityEnds {
            if session.identity == nil { hub.count(.identify) }
            let reason = session.identity == nil ? "no token came" : "the token ran out"
            return close(code: 4001, reason: reason, retryAfterMilliseconds: 0)
        }
        if now >= nextPing {
            ping(at: now)
            if isCompressed, now - stream.receivedAt >= heartbeat { peer.rest() }
            nextPing = now + heartbeat
        }
        schedule()
    }

    /// Pings a connection from which nothing has come for some time; one that talks is alive anyway.
    private func ping(at now: MonotonicTime) {
        guard now - stream.receivedAt >= min(heartbeat / 2, .seconds(1)) || heartbeat < .seconds(2) else {
            return
        }
        var frame: [UInt8] = []
        peer.sendPing([UInt8]().span, into: &frame)
        stream.send(copying: frame.span)
    }
}

extension Connection: ByteStreamDelegate {
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard !isClosing else { return }
        var intake = Intake(controlFrames: controlFramesLeft)
        var answers: [UInt8] = []
        peer.receive(&bytes, answering: &answers, &intake)
        if isCompressed { unsafe hub.compressor.count(received: peer.takeReceivedCompressed()) }
        controlFrames += intake.controlFrames
        takeRequests(intake.requests)
        guard !isClosing else { return }
        if !answers.isEmpty { stream.send(copying: answers.span) }
        if peer.state != .open {
            takeLastRequests()
            closeCode = intake.wantsClose?.code
            if let limit = intake.isFlooding ? .controlFrames : peer.failure?.limit { hub.count(limit) }
            if let close = intake.wantsClose {
                tellEnd(close.code, close.reason)
            } else if let failure = peer.failure {
                tellEnd(failure.closeCode, failure.description)
            }
            hasBegunToClose = true
            stream.finish()
        } else if !held.isEmpty || stream.queuedBytes > limits.outboundBytes {
            if held.isEmpty { hub.count(.outboundBytes) }
            stream.pauseReading()
            stream.awaitDrain()
        }
    }

    /// How many control frames may come in what is left of this second.
    private var controlFramesLeft: UInt32 {
        let second = UInt32(truncatingIfNeeded: stream.loop.now.nanoseconds / 1_000_000_000)
        if second != controlSecond { (controlSecond, controlFrames) = (second, 0) }
        let most = UInt32(clamping: limits.controlFramesPerSecond)
        return most > controlFrames ? most - controlFrames : 0
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        hasBegunToClose = true
        stream.finish()
    }

    func streamDidDrain(_ stream: ByteStream) {
        guard !isClosing else { return }
        drained()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        if !isClosing { takeLastRequests() }
        hasBegunToClose = true
        stream.loop.cancel(timer)
        timer = .none
        if case .tls(let reason) = error {
            hub.log.say(.info, .ended, trace: trace, "the connection \(session.key) was ended: TLS: \(reason)")
        }
        closeCode = closeCode ?? peer.failure?.closeCode ?? peer.closeReceived ?? 1006
        hub.enter(with: self) { $0.closed($1) }
    }
}

/// Gathers the requests of one read, so that the hub is entered once for all of them.
private struct Intake: WebSocketHandler {
    var requests: [Result<Request, BadRequest>] = []
    var wantsClose: WebSocketClose?
    /// How many control frames came.
    private(set) var controlFrames: UInt32 = 0
    /// Whether they were too many.
    private(set) var isFlooding = false
    private let mostControlFrames: UInt32

    /// Takes at most so many control frames.
    init(controlFrames most: UInt32) {
        mostControlFrames = most
    }

    mutating func receivedPing(_ payload: Span<UInt8>) { countControlFrame() }

    mutating func receivedPong(_ payload: Span<UInt8>) { countControlFrame() }

    private mutating func countControlFrame() {
        guard controlFrames < mostControlFrames else {
            isFlooding = true
            wantsClose = WebSocketClose(code: WebSocketCloseCode.policyViolation, reason: "too many pings and pongs")
            return
        }
        controlFrames += 1
    }

    mutating func received(text: Span<UInt8>) {
        do throws(BadRequest) { requests.append(.success(try Request.decode(text))) } catch {
            requests.append(.failure(error))
        }
    }

    mutating func received(binary: Span<UInt8>) {
        wantsClose = WebSocketClose(code: 1003, reason: "messages are text")
    }
}

extension WebSocketError {
    /// The bound that was hit.
    fileprivate var limit: LimitName? {
        switch self {
        case .frameTooLong, .messageTooLong, .inflationTooHigh: .messageBytes
        case .tooManyFragments: .fragments
        default: nil
        }
    }
}

extension Result<Request, BadRequest> {
    /// Whether it does anything besides being answered.
    fileprivate var hasEffect: Bool {
        guard case .success(let request) = self else { return false }
        switch request.body {
        case .operation, .auth: return true
        default: return false
        }
    }
}
