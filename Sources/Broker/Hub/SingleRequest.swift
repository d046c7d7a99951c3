import HTTP
import Transport
public import Wire

/// Why a request was refused.
public struct RequestRefusal: Error, Sendable, Equatable {
    /// What went wrong.
    public var code: ErrorCode
    /// The same in words for a person.
    public var message: String
    /// After how many milliseconds it may go better; `nil`: that is not known.
    public var retryAfterMilliseconds: Int64?

    /// Makes a refusal.
    public init(_ code: ErrorCode, _ message: String, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// Reads an error that the broker is about to send; `nil`: it is no error.
    init?(_ payload: Span<UInt8>) {
        guard payload.isMessage(ofType: "error"),
            case .error(_, let code, let message, let retryAfter) = try? BrokerMessage.decode(payload)
        else { return nil }
        self.init(code, message, retryAfterMilliseconds: retryAfter)
    }
}

/// A request that is made for someone without a connection of the hub's, and waits for its reply.
///
/// It belongs to the hub that was asked, and to that hub's loop.
public final class PendingReply {
    /// Holds nothing once the reply is there.
    weak var recipient: Recipient?

    /// Gives up waiting: the reply will be dropped, though what was asked for still takes effect.
    public func cancel() {
        guard let recipient else { return }
        recipient.hub.enter(with: recipient) { $0.closed($1) }
    }
}

@available(*, unavailable)
extension PendingReply: Sendable {}

/// Who asks for one thing over HTTP: hears of nothing but the reply, and is gone with it.
class SingleRequest: Recipient {
    private var reply: ((Result<[UInt8], RequestRefusal>) -> Void)?

    private let source: HTTPExchange?

    /// `exchange` is where the request comes from.
    init(
        session: Session, hub: Hub, exchange: HTTPExchange? = nil,
        reply: @escaping (Result<[UInt8], RequestRefusal>) -> Void
    ) {
        self.reply = reply
        source = exchange
        super.init(session: session, hub: hub)
    }

    /// Hands over the reply, after the place here is free.
    final func finish(with result: Result<[UInt8], RequestRefusal>) {
        guard let reply else { return }
        self.reply = nil
        hub.enter(with: self) { $0.closed($1) }
        reply(result)
    }

    override var isClosing: Bool { reply == nil }

    override var isBlocked: Bool { false }

    override var address: String? { source?.peer.host }

    override var trace: TraceContext? { source?.trace }

    override var isConnection: Bool { false }

    override var clientAddress: ClientAddress? { source.flatMap { ClientAddress($0.peer) } }

    override var exchange: UInt64 { source?.number ?? 0 }

    override func send(frames: Span<UInt8>) {
        frames.forEachPayload { payload in
            if let refusal = RequestRefusal(payload) {
                finish(with: .failure(refusal))
            } else {
                var bytes: [UInt8] = []
                bytes.append(payload)
                finish(with: .success(bytes))
            }
        }
    }

    /// It has no subscription; nothing shared is for it.
    override func send(_ frame: SharedBytes) {}

    override func offer(_ batch: EventBatch, _ events: Range<Int>) -> Bool { true }

    override func send(_ batch: EventBatch, _ events: Range<Int>) {}

    /// Its reply is under way and ends it.
    override func close(code: UInt16, reason: String, retryAfterMilliseconds: Int64?) {}
}

extension [UInt8] {
    /// Appends borrowed bytes with one copy.
    mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is valid for the closure, and `append(contentsOf:)` keeps no reference to it.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
