internal import Glibc

/// A connected socket, with or without TLS, that belongs to one loop.
///
/// Bytes come to the delegate; what is sent is queued and written once at the end of the loop's turn, or when the
/// kernel takes it again. An idle stream holds no buffer. All members are for the loop's thread only.
public final class ByteStream {
    /// How far a stream's life has come.
    enum Phase: UInt8 {
        /// The proxy's header is awaited.
        case announcing
        case connecting, handshaking, open
        /// All is written and our end is announced; the peer's end is awaited, for a while.
        case ending
        case closed
    }

    /// Facts about a stream of one bit each.
    struct Flags: OptionSet {
        let rawValue: UInt16
        /// In the loop's list of streams that are written to at the end of the turn.
        static let isDirty = Flags(rawValue: 1 << 0)
        /// The kernel has refused bytes, and reports when it takes some again.
        static let isBlocked = Flags(rawValue: 1 << 1)
        static let isPaused = Flags(rawValue: 1 << 2)
        static let isFinishing = Flags(rawValue: 1 << 3)
        /// The peer will send nothing more.
        static let peerHasFinished = Flags(rawValue: 1 << 4)
        /// Writing has failed; what the peer sent before is still read.
        static let isBroken = Flags(rawValue: 1 << 5)
        /// Not in the epoll set: not yet, or because that would report a hang-up without end.
        static let isUnwatched = Flags(rawValue: 1 << 6)
        /// TLS must write before it can read on, or read before it can write on.
        static let readNeedsWrite = Flags(rawValue: 1 << 7)
        static let writeNeedsRead = Flags(rawValue: 1 << 8)
        /// In the loop's list of streams that TLS holds more bytes of.
        static let isReadingOn = Flags(rawValue: 1 << 9)
        static let closeNotifySent = Flags(rawValue: 1 << 10)
        /// The delegate wants to hear of the empty queue in any case.
        static let awaitsDrain = Flags(rawValue: 1 << 11)
        /// In the loop's list of many streams that are written to in parts.
        static let isOneOfMany = Flags(rawValue: 1 << 12)
        /// A proxy has passed the connection on, and said so ahead of it.
        static let isPassedOn = Flags(rawValue: 1 << 13)
    }

    /// The loop that the stream belongs to.
    public let loop: EventLoop
    /// The peer's address and port; behind a trusted proxy that tells it, the client's.
    public internal(set) var peer: SocketAddress
    // The order of the properties leaves few gaps.
    var tls: TLSSession?
    /// What is needed until the connection stands.
    var opening: Opening?
    // Not checked for accesses that overlap: that would cost more than all else that a delivery does here. They cannot
    // overlap, as all are the loop's, and none lasts while a delegate or anything else outside is called.
    @exclusivity(unchecked) private var moving: Moving
    var descriptor: FileDescriptor
    var registration: Registration
    /// What epoll is told to report.
    var watched: PollEvents = []
    /// The time limit of the current phase.
    var deadline = TimerToken.none

    /// What every read or write touches.
    private struct Moving: ~Copyable {
        var delegate: (any ByteStreamDelegate)?
        var queue = OutputQueue()
        var receivedAt: MonotonicTime
        var progressAt: MonotonicTime
        var bytesReceived: UInt64 = 0
        var bytesSent: UInt64 = 0
        var flags: Flags = .isUnwatched
        var phase: Phase
    }

    init(
        on loop: EventLoop, _ descriptor: consuming FileDescriptor, peer: SocketAddress, tls: TLSSession?, phase: Phase
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.peer = peer
        self.tls = tls
        let now = loop.core.now
        unsafe moving = Moving(receivedAt: now, progressAt: now, phase: phase)
        registration = Registration(slot: .max, generation: 0)
        registration = loop.core.poller.register(self)
    }

    // MARK: What every read or write touches

    /// What hears of the stream; held strongly until the stream has closed, then nil.
    public var delegate: (any ByteStreamDelegate)? {
        get { unsafe moving.delegate }
        set { unsafe moving.delegate = newValue }
    }

    /// When bytes last came; when the stream was made, before any came.
    public internal(set) var receivedAt: MonotonicTime {
        get { unsafe moving.receivedAt }
        set { unsafe moving.receivedAt = newValue }
    }

    /// How many bytes came in, after decryption.
    public internal(set) var bytesReceived: UInt64 {
        get { unsafe moving.bytesReceived }
        set { unsafe moving.bytesReceived = newValue }
    }

    var queue: OutputQueue {
        _read { yield unsafe moving.queue }
        _modify { yield unsafe &moving.queue }
    }

    /// When the kernel last took bytes, or the queue began to fill; means nothing while the queue is empty.
    var progressAt: MonotonicTime {
        get { unsafe moving.progressAt }
        set { unsafe moving.progressAt = newValue }
    }

    /// How many bytes the kernel has taken, before encryption.
    public internal(set) var bytesSent: UInt64 {
        get { unsafe moving.bytesSent }
        set { unsafe moving.bytesSent = newValue }
    }

    var flags: Flags {
        get { unsafe moving.flags }
        set { unsafe moving.flags = newValue }
    }

    var phase: Phase {
        get { unsafe moving.phase }
        set { unsafe moving.phase = newValue }
    }

    // MARK: What is known

    /// The peer's address without the port, `127.0.0.1` or `::1`; `unix` for a Unix socket.
    public var peerAddress: String { peer.host }

    /// Whether the peer is the client of a proxy, which has announced it by the PROXY protocol.
    public internal(set) var isPassedOn: Bool {
        get { flags.contains(.isPassedOn) }
        set { if newValue { flags.insert(.isPassedOn) } else { flags.remove(.isPassedOn) } }
    }

    /// Whether the bytes travel encrypted.
    public var isTLS: Bool { tls != nil }

    /// Whether the stream has closed; then nothing can be sent, and the delegate has been told or will be this turn.
    public var isClosed: Bool { phase == .closed }

    /// How many bytes wait to be written.
    public var queuedBytes: Int { queue.count }

    /// Whether the kernel has refused bytes and takes none at the moment.
    public var isBlocked: Bool { flags.contains(.isBlocked) }

    /// Since when nothing of what waits has been taken by the kernel; nil when nothing waits.
    public var stalledSince: MonotonicTime? { queue.isEmpty ? nil : progressAt }

    /// Goes on in the name of the client whose connection a trusted proxy passes on.
    public func speaks(for client: SocketAddress) {
        loop.preconditionCurrent()
        peer = client
    }

    // MARK: Sending

    /// Queues shared bytes by reference; after `finish()` or the close they are dropped.
    public func send(_ bytes: SharedBytes) {
        send(bytes, 0..<bytes.count)
    }

    /// Queues a range of shared bytes by reference; after `finish()` or the close they are dropped.
    ///
    /// - Precondition: the range lies inside the bytes.
    public func send(_ bytes: SharedBytes, _ range: Range<Int>) {
        guard prepareToQueue() else { return }
        queue.append(bytes, range)
    }

    /// Queues a copy of the bytes; after `finish()` or the close they are dropped.
    public func send(copying bytes: [UInt8]) {
        send(copying: bytes.span)
    }

    /// Queues a copy of the bytes; after `finish()` or the close they are dropped.
    public func send(copying bytes: Span<UInt8>) {
        guard prepareToQueue() else { return }
        queue.append(copying: bytes)
    }

    /// Has the delegate told by `streamDidDrain` when nothing waits any more, whether the kernel refuses bytes meanwhile or not.
    ///
    /// It is told in a later turn, once.
    public func awaitDrain() {
        loop.preconditionCurrent()
        guard phase.rawValue <= Phase.open.rawValue else { return }
        flags.insert(.awaitsDrain)
        markDirty()
    }

    private func prepareToQueue() -> Bool {
        loop.preconditionCurrent()
        guard phase.rawValue <= Phase.open.rawValue, flags.isDisjoint(with: [.isFinishing, .isBroken]) else {
            return false
        }
        if queue.isEmpty { progressAt = loop.core.now }
        markDirty()
        return true
    }

    /// Has the stream written to at the end of the turn, or when it is its turn among many.
    func markDirty() {
        guard flags.isDisjoint(with: [.isDirty, .isBlocked]), phase == .open else { return }
        let writes = loop.core.writes
        if !writes.isBroadcasting {
            flags.insert(.isDirty)
            writes.add(self)
        } else if !flags.contains(.isOneOfMany) {
            flags.insert(.isOneOfMany)
            writes.add(oneOfMany: self)
        }
    }

    // MARK: Reading

    /// Stops delivering bytes; the kernel's buffer fills, and then the peer has to wait.
    ///
    /// The peer's end is not noticed either, save for a reset.
    public func pauseReading() {
        loop.preconditionCurrent()
        guard phase != .closed, flags.isDisjoint(with: [.isFinishing, .isPaused]) else { return }
        flags.insert(.isPaused)
        updateInterest()
    }

    /// Delivers bytes again.
    public func resumeReading() {
        loop.preconditionCurrent()
        guard phase != .closed, flags.contains(.isPaused) else { return }
        flags.remove(.isPaused)
        updateInterest()
        // What TLS has already taken from the socket is announced by no event.
        if tls?.hasPending == true { readOnNextTurn() }
    }

    /// Whether no bytes are delivered because `pauseReading()` was called.
    public var isReadingPaused: Bool { flags.contains(.isPaused) }

    // MARK: Ending

    /// Ends the stream in order: writes what is queued, announces the end, awaits the peer's end for a while, and closes.
    ///
    /// What the peer sends from now on is read and dropped. How long it may take nothing, and how long its end is awaited,
    /// is set by `EventLoop.closing`.
    public func finish() {
        loop.preconditionCurrent()
        guard phase != .closed, phase != .ending, !flags.contains(.isFinishing) else { return }
        guard phase != .connecting else { return close(nil) }
        flags.insert(.isFinishing)
        resumeReading()
        // Others are written to in this turn, and get one then if that is not the end.
        if phase == .open, flags.contains(.isBlocked) { setDeadline(loop.core.closing.drain) }
        markDirty()
    }

    /// Closes at once and drops what is queued.
    public func abort() {
        loop.preconditionCurrent()
        close(nil)
    }
}

@available(*, unavailable)
extension ByteStream: Sendable {}
