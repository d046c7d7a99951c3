internal import Transport
internal import WebSocket
internal import Wire

/// One client connection: from the socket to whole text messages, and no more.
///
/// It holds no buffer while it is idle; what it has in common with others lies in its ``Connector``.
final class LoadConnection: ByteStreamDelegate {
    /// How far it has come.
    enum Phase: UInt8 {
        case connecting, shakingHands, awaitingWelcome, open, closed
    }

    /// How a connection is ended.
    enum Manner: Sendable {
        /// By the closing handshake.
        case orderly
        /// By closing the socket.
        case abrupt
        /// By a TCP reset.
        case reset
    }

    /// Which one of its group it is.
    let number: Int
    /// When it was begun.
    let startedAt: UInt64
    private(set) var phase = Phase.connecting
    /// The code of the broker's close frame.
    private(set) var closeCode: UInt16?
    private unowned let connector: Connector
    private var stream: ByteStream?
    private var handshake: ClientHandshake?
    private var peer = WebSocketPeer(role: .client, limits: Connector.limits)
    /// What else ended the connection.
    private var ending: String?
    /// Texts that were sent while the peer was reading, which it cannot do at the same time.
    private var deferred: [[UInt8]] = []
    private var isReading = false

    init(number: Int, connector: Connector) {
        self.number = number
        self.connector = connector
        startedAt = Clock.now()
    }

    /// Begins to connect.
    func start() throws(TransportError) {
        let isSmall = !connector.traits(number).isDisjoint(with: [.smallBuffer, .throttled])
        stream = try connector.dial.open(number, on: connector.loop, hasSmallBuffer: isSmall, delegate: self)
    }

    /// Sends a message: a text, or what a raw run makes of it.
    func send(_ text: [UInt8]) {
        guard phase == .open, let stream else { return }
        if isReading {
            deferred.append(text)
            return
        }
        connector.withScratch { output in
            put(text, into: &output)
            stream.send(copying: output)
        }
    }

    private func put(_ message: [UInt8], into output: inout [UInt8]) {
        if connector.dial.isBinary {
            peer.send(binary: message.span, into: &output)
        } else {
            peer.send(text: message.span, into: &output)
        }
    }

    /// Ends the connection; the group is not told.
    func end(_ manner: Manner) {
        guard phase != .closed, let stream else { return }
        let wasOpen = phase == .open
        phase = .closed
        switch manner {
        case .abrupt: stream.abort()
        case .reset: stream.reset()
        case .orderly:
            if wasOpen, !isReading {
                connector.withScratch { output in
                    peer.sendClose(code: 1000, into: &output)
                    stream.send(copying: output)
                }
            }
            stream.finish()
        }
    }

    /// Stops to read, or reads on.
    func setReading(_ isOn: Bool) {
        if isOn { stream?.resumeReading() } else { stream?.pauseReading() }
    }

    // MARK: ByteStreamDelegate

    func streamDidConnect(_ stream: ByteStream) {
        let handshake = connector.dial.handshake(name: connector.name(number))
        self.handshake = handshake
        phase = .shakingHands
        if connector.traits(number).contains(.bytewise) {
            Dribble(handshake.request, to: stream).begin()
        } else {
            stream.send(copying: handshake.request)
        }
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        if connector.bytesPerSecond > 0, connector.traits(number).contains(.throttled), connector.isSettled(self) {
            Rest(bytes.byteCount, at: connector.bytesPerSecond, of: stream).begin()
        }
        switch phase {
        case .connecting, .closed: break
        case .shakingHands:
            guard let consumed = shakeHands(Span(_bytes: bytes.bytes)) else { return }
            if connector.dial.isRaw {
                phase = .open
                connector.opened(self, at: Clock.now())
            } else {
                phase = .awaitingWelcome
            }
            var rest = bytes._mutatingExtracting(consumed..<bytes.byteCount)
            receive(&rest)
        case .awaitingWelcome, .open: receive(&bytes)
        }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        self.stream = nil
        guard phase != .closed else { return }
        let before = phase
        phase = .closed
        let reason =
            closeCode.map { "close \($0)" } ?? ending ?? error.map { "\($0)" } ?? "the broker ended the connection"
        connector.ended(self, wasOpen: before == .open, reason: reason)
    }

    // MARK: Reading

    /// - Returns: How many of the bytes belong to the handshake; `nil` where it goes on, or failed.
    private func shakeHands(_ bytes: Span<UInt8>) -> Int? {
        do {
            guard let consumed = try handshake?.receive(bytes) else { return nil }
            if let deflate = handshake?.deflate {
                peer = WebSocketPeer(role: .client, limits: Connector.limits, deflate: deflate)
            }
            handshake = nil
            return consumed
        } catch {
            ending =
                if case .refused(let status, _, _) = error { "handshake refused with \(status)" } else { "\(error)" }
            stream?.abort()
            return nil
        }
    }

    private func receive(_ bytes: inout MutableRawSpan) {
        var sink = Sink(connection: self, time: Clock.now())
        isReading = true
        connector.withScratch { output in
            peer.receive(&bytes, answering: &output, &sink)
            isReading = false
            if !deferred.isEmpty { sendDeferred(into: &output) }
            if !output.isEmpty { stream?.send(copying: output) }
        }
        if let failure = peer.failure, ending == nil { ending = "protocol error: \(failure)" }
        if peer.state == .closed { stream?.finish() }
    }

    private func sendDeferred(into output: inout [UInt8]) {
        for text in deferred { put(text, into: &output) }
        deferred = []
    }

    fileprivate func received(_ text: Span<UInt8>, at time: UInt64) {
        switch phase {
        case .open: connector.owner?.connection(self, didReceive: text, at: time)
        case .awaitingWelcome:
            switch try? BrokerMessage.decode(text) {
            case .welcome:
                phase = .open
                connector.opened(self, at: time)
            case .error(_, let code, _, _): ending = code.rawValue
            default: ending = "no welcome"
            }
        case .connecting, .shakingHands, .closed: break
        }
    }

    /// A broker sends none; others may send all they send in them.
    fileprivate func received(binary: Span<UInt8>, at time: UInt64) {
        if connector.dial.isRaw { received(binary, at: time) }
    }

    fileprivate func receivedClose(_ code: UInt16?) {
        closeCode = code ?? 1005
    }
}

/// Takes a connection's messages from its peer.
private struct Sink: WebSocketHandler {
    unowned let connection: LoadConnection
    let time: UInt64

    mutating func received(text: Span<UInt8>) {
        connection.received(text, at: time)
    }

    mutating func received(binary: Span<UInt8>) {
        connection.received(binary: binary, at: time)
    }

    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {
        connection.receivedClose(code)
    }
}
