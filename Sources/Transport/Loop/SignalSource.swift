internal import CLinux
internal import Glibc

/// Delivers signals of the process to a closure on a loop.
///
/// The signals must be blocked in every thread, or their usual effect comes first: call `blockSignals(_:)` in `main`
/// before any thread is started. The source lives as long as its loop, or until `close()`.
public final class SignalSource {
    private let loop: EventLoop
    private let handler: (CInt) -> Void
    private var descriptor: FileDescriptor
    private var registration = Registration(slot: .max, generation: 0)

    /// Begins to deliver; on the loop, or before it starts.
    ///
    /// - Parameters:
    ///   - loop: where the handler is called.
    ///   - signals: which signals, such as `SIGTERM`.
    ///   - handler: receives the number of each signal.
    /// - Throws: `TransportError.system` when there is no descriptor or memory left.
    public init(on loop: EventLoop, signals: [CInt], handler: @escaping (CInt) -> Void) throws(TransportError) {
        loop.preconditionCurrent()
        self.loop = loop
        self.handler = handler
        var set = signalSet(signals)
        descriptor = try unsafe FileDescriptor(
            signalfd(-1, &set, CInt(SFD_NONBLOCK) | CInt(SFD_CLOEXEC)), from: "signalfd")
        registration = loop.core.poller.register(self)
        do {
            try loop.core.poller.watch(descriptor.number, .readable, for: registration)
        } catch {
            loop.core.poller.unregister(registration)
            throw error
        }
    }

    /// Stops delivering; the signals stay blocked.
    public func close() {
        loop.preconditionCurrent()
        guard descriptor.number >= 0 else { return }
        loop.core.poller.unregister(registration)
        descriptor.close()
    }
}

@available(*, unavailable)
extension SignalSource: Sendable {}

extension SignalSource: EventSource {
    func handle(_ events: PollEvents) {
        while descriptor.number >= 0 {
            var information = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            guard unsafe read(descriptor.number, &information, size) == size else { return }
            handler(CInt(bitPattern: information.ssi_signo))
        }
    }

    func loopDidEnd() {
        close()
    }
}
