import CNATS
import Synchronization

/// What a connection tells besides messages.
enum NATSConnectionEvent: Sendable {
    /// It has come back, or something else: what was told may have been missed.
    case mayHaveMissed
    /// It is lost, and tries to come back.
    case disconnected
    /// The servers do not permit something, in their words.
    case forbidden(String)
}

/// A connection to a cluster of NATS servers, which comes back by itself; and all that goes by it.
///
/// Its calls may wait for the network, so they are for a thread of the log's own.
@safe
struct NATSConnection: ~Copyable {
    /// What the connection tells, on threads of the library's, and how it stands as it was told last.
    ///
    /// To ask the library may take long: while it tries to come back it holds its lock for as long as a server says nothing.
    final class Observer: Sendable {
        let tell: @Sendable (NATSConnectionEvent) -> Void
        let isConnected = Atomic(true)
        let isClosed = Atomic(false)

        init(tell: @escaping @Sendable (NATSConnectionEvent) -> Void) {
            self.tell = tell
        }
    }

    private let handle: OpaquePointer
    private let observer: Observer

    /// Connects to one of the servers.
    init(_ settings: NATSSettings, _ observer: Observer) throws(StoreError) {
        let options = try NATSOptions.make(settings)
        // The library's callbacks have a pointer to it, on a thread that goes on when the connection is destroyed: the last
        // of them lets go.
        let retained = unsafe Unmanaged.passRetained(observer)
        do throws(StoreError) {
            unsafe try options.observe(with: retained.toOpaque())
            unsafe handle = try options.connect(settings)
            self.observer = observer
        } catch {
            unsafe retained.release()
            throw error
        }
    }

    deinit {
        unsafe natsConnection_Close(handle)
        unsafe natsConnection_Destroy(handle)
    }

    var isConnected: Bool { observer.isConnected.load(ordering: .relaxed) }

    /// Whether it has given up, and does not come back by itself: the servers have refused it more than once, or ended it
    /// for a reason that the library does not know.
    var isClosed: Bool { observer.isClosed.load(ordering: .relaxed) }

    /// The longest message that the servers take, in bytes.
    var maxPayload: Int {
        Int(unsafe natsConnection_GetMaxPayload(handle))
    }

    /// Sends a message; `false` where it could not even be put behind those that wait.
    func publish(_ bytes: [UInt8], to subject: String, reply: String?, headers: [(String, String)]) -> Bool {
        var message: OpaquePointer?
        let made = unsafe bytes.withUnsafeBytes { bytes in
            unsafe natsMsg_Create(
                &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: bytes.count))
        }
        guard made == NATS_OK, let message = unsafe message else { return false }
        defer { unsafe natsMsg_Destroy(message) }
        for (name, value) in headers {
            guard unsafe natsMsgHeader_Set(message, name, value) == NATS_OK else { return false }
        }
        return unsafe natsConnection_PublishMsg(handle, message) == NATS_OK
    }

    /// Has what comes for a subject told, on threads of the library's; `nil` where that is not possible now.
    func subscribe(
        _ subject: String, _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void
    ) -> NATSSubscription? {
        unsafe NATSSubscription(on: handle, subject, receive)
    }
}

/// A subscription; it ends with the value.
@safe
struct NATSSubscription: ~Copyable {
    private final class Receiver: Sendable {
        let receive: @Sendable (borrowing NATSMessage) -> Void

        init(_ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) {
            self.receive = receive
        }
    }

    private let handle: OpaquePointer

    fileprivate init?(
        on connection: OpaquePointer, _ subject: String, _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void
    ) {
        // The library gives the one reference back when it has told the last message.
        let receiver = unsafe Unmanaged.passRetained(Receiver(receive))
        var subscription: OpaquePointer?
        let status = unsafe natsConnection_Subscribe(
            &subscription, connection, subject,
            { _, _, message, closure in
                guard let message = unsafe message, let closure = unsafe closure else { return }
                let receiver = unsafe Unmanaged<Receiver>.fromOpaque(closure).takeUnretainedValue()
                receiver.receive(unsafe NATSMessage(owning: message))
            }, receiver.toOpaque())
        guard status == NATS_OK, let subscription = unsafe subscription else {
            unsafe receiver.release()
            return nil
        }
        // What is not taken in time is dropped, and missed by its place: memory has a bound.
        unsafe natsSubscription_SetPendingLimits(subscription, 65_536, 64 << 20)
        unsafe natsSubscription_SetOnCompleteCB(
            subscription,
            { closure in
                if let closure = unsafe closure { unsafe Unmanaged<Receiver>.fromOpaque(closure).release() }
            }, receiver.toOpaque())
        unsafe handle = subscription
    }

    deinit {
        unsafe natsSubscription_Unsubscribe(handle)
        unsafe natsSubscription_Destroy(handle)
    }
}
