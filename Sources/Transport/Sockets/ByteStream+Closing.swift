internal import Glibc

/// When streams are given up.
public struct ClosingLimits: Sendable, Equatable {
    /// How long the peer's end is awaited once ours is announced.
    public var linger = Duration.seconds(2)
    /// How long a peer may take nothing of what is to be written before the end.
    public var drain = Duration.seconds(10)
    /// How many records of TLS may come within a second that carry no data, such as KeyUpdate (RFC 8446 section 4.6.3)
    /// and a renegotiation that is refused; each costs as much as one with data.
    public var controlRecordsPerSecond = 100

    /// The defaults.
    public init() {}
}

/// How often the streams of a loop were given up at a limit.
public struct ExpiredLimits: Sendable, Equatable {
    /// The peer's end did not come, ``ClosingLimits/linger``.
    public internal(set) var linger: UInt64 = 0
    /// The peer took nothing of the last bytes, ``ClosingLimits/drain``.
    public internal(set) var drain: UInt64 = 0
    /// Too many records came that carry no data, ``ClosingLimits/controlRecordsPerSecond``.
    public internal(set) var controlRecords: UInt64 = 0
}

extension ByteStream {

    /// Closes at once with a TCP reset (RST), as a peer that has crashed; what is queued is dropped.
    public func reset() {
        loop.preconditionCurrent()
        guard phase != .closed else { return }
        var lingering = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            descriptor.number, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close(nil)
    }

    /// Closes the socket and frees everything now; the delegate is told later in the turn.
    func close(_ error: TransportError?) {
        guard phase != .closed else { return }
        phase = .closed
        let core = loop.core
        core.poller.unregister(registration)
        clearDeadline()
        tls = nil
        opening = nil
        queue.removeAll()
        descriptor.close()
        core.hasFreedDescriptor = true
        core.closedStreams.append((self, error))
    }

    /// Tells the delegate that the stream has closed, and lets it go.
    func announceClosed(_ error: TransportError?) {
        let delegate = delegate
        self.delegate = nil
        delegate?.stream(self, didClose: error)
    }

    /// Bounds the present phase in time, instead of what bounded it before.
    func setDeadline(_ limit: Duration) {
        clearDeadline()
        deadline = loop.core.timers.schedule(StreamDeadline(self), at: loop.core.now + limit)
    }

    func clearDeadline() {
        guard deadline != .none else { return }
        loop.core.timers.cancel(deadline)
        deadline = .none
    }

    /// The present phase has taken too long.
    fileprivate func deadlinePassed() {
        deadline = .none
        switch phase {
        case .announcing: announcementTimedOut()
        case .connecting: close(.timedOut("connecting to \(peer)"))
        case .handshaking: close(.timedOut(TransportError.handshake))
        case .open:
            let limit = progressAt + loop.core.closing.drain
            guard loop.core.now >= limit else { return setDeadline(limit - loop.core.now) }
            loop.core.expired.drain += 1
            close(.timedOut("writing the last bytes"))
        case .ending:
            loop.core.expired.linger += 1
            close(nil)
        case .closed: break
        }
    }
}

/// The timer of a stream that is being opened or closed; idle streams have none.
private final class StreamDeadline: TimerHandler {
    // The stream cancels the timer when it closes, and it is not freed before it closes.
    private unowned let stream: ByteStream

    init(_ stream: ByteStream) {
        self.stream = stream
    }

    func timerFired(_ now: MonotonicTime) {
        stream.deadlinePassed()
    }
}
