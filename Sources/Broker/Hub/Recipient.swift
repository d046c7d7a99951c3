import HTTP
import Transport
import WebSocket
import Wire

/// Who asks a hub's channels and hears what they say: a WebSocket connection, an event stream, an HTTP request.
///
/// It belongs to one hub and is touched on that hub's loop alone. What it hears comes as WebSocket frames, which are
/// encoded once for all; other kinds take the messages out of them.
class Recipient {
    // The order of the properties leaves few gaps.
    let hub: Hub
    /// Its requests that wait for a hook; `nil`: none does.
    var gate: HookGate?
    /// How many bytes wait for it in backlogs, as far as they count.
    var heldBytes = 0
    private(set) var subscriptions = Few<Subscription>.none
    /// The code with which it ended, as far as it is known; `nil` for one that has none.
    var closeCode: UInt16?
    /// How many of its requests whose replies may be large are not answered yet.
    var unanswered: Int32 = 0
    /// How many of its requests channels have not answered yet.
    var asked: Int32 = 0
    /// Who it speaks for, and what it asked for.
    var session: Session

    init(session: Session, hub: Hub) {
        self.session = session
        self.hub = hub
    }

    /// Whether it is going away; nothing is sent any more.
    var isClosing: Bool { preconditionFailure("each kind has its own") }
    /// Whether no more bytes are taken at the moment.
    var isBlocked: Bool { preconditionFailure("each kind has its own") }

    /// Sends whole frames.
    func send(frames: Span<UInt8>) { preconditionFailure("each kind has its own") }
    /// Sends a shared frame.
    func send(_ frame: SharedBytes) { preconditionFailure("each kind has its own") }
    /// Sends a summary, the channel as of `seq`, as a shared frame.
    func send(summary frame: SharedBytes, seq: UInt64) { send(frame) }
    /// Sends neighbouring events of a batch where there is room for them; where there is none, it will say when it
    /// is `drained`.
    func offer(_ batch: EventBatch, _ events: Range<Int>) -> Bool { preconditionFailure("each kind has its own") }
    /// Sends neighbouring events of a batch, however much waits.
    func send(_ batch: EventBatch, _ events: Range<Int>) { preconditionFailure("each kind has its own") }
    /// A request whose reply may be large was answered.
    func answered() { unanswered -= 1 }
    /// So many requests of any kind were answered.
    func replied(_ count: Int32) { asked -= count }
    /// Whether more may be asked in its name before it has got answers.
    final var mayAsk: Bool {
        !hub.isDraining && unanswered < Recipient.bulkyAtOnce && Int(asked) < hub.limits.unansweredRequests
            && gate?.isFull != true
    }

    /// How many requests whose replies may be large are taken at once.
    ///
    /// One read may bring thousands of them, and each may be worth 100 KB and more.
    static let bulkyAtOnce: Int32 = 16

    /// How many requests are taken in one turn, so that one who sends much leaves time for others.
    static let requestsPerTurn = 128
    /// It can be written to again.
    func drained() { hub.enter(with: self) { $0.catchUp($1) } }
    /// Requests that were held back may be taken again.
    func proceed() {}
    /// Where it comes from, as far as that is known.
    var address: String? { nil }
    /// The trace of the request that it came with, or is.
    var trace: TraceContext? { nil }
    /// Since when it takes nothing although something waits; `nil`: it takes what comes.
    var stalledSince: MonotonicTime? { nil }
    /// How many bytes came over its own stream.
    var bytesReceived: UInt64 { 0 }
    /// How many bytes wait to be written to its own stream.
    var queuedBytes: Int { 0 }
    /// Whose tokens it takes of those by address; `nil` where it comes from no address.
    var clientAddress: ClientAddress? { nil }
    /// The number of the HTTP connection by which it asks; 0: it is the connection itself.
    var exchange: UInt64 { 0 }
    /// Whether it stays after its first reply.
    var isConnection: Bool { true }
    /// How many bytes it was sent over its own stream.
    var bytesSent: UInt64 { 0 }
    /// The identity changed; it ends `milliseconds` from now, or never.
    func identityEnds(in milliseconds: Int64?) {}
    /// Says goodbye and ends it.
    func close(code: UInt16, reason: String, retryAfterMilliseconds: Int64?) {
        preconditionFailure("each kind has its own")
    }

    /// Says in the log that the broker ends it, and why; not where the broker comes to its own end, for that is told once.
    final func tellEnd(_ code: UInt16, _ reason: String) {
        guard code != 1012 else { return }
        hub.log.say(.info, .ended, trace: trace, "the connection \(session.key) was ended with \(code): \(reason)")
    }

    /// Sends one message.
    final func send(_ message: BrokerMessage) {
        var frame: [UInt8] = []
        message.append(frameTo: &frame)
        send(frames: frame.span)
    }

    final func subscription(to channel: String) -> Subscription? {
        subscriptions.first { $0.audience.channel == channel }
    }

    final func add(_ subscription: Subscription) {
        subscriptions.append(subscription)
    }

    final func remove(_ subscription: Subscription) {
        if let index = subscriptions.firstIndex(where: { $0 === subscription }) { subscriptions.remove(at: index) }
    }
}
