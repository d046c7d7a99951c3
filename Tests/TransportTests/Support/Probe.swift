import Transport

/// A delegate that records everything, for a test to await.
///
/// Its closures and its stream are for the loop only; what it has seen may be read anywhere.
// @unchecked: see above; `facts` is under a lock.
final class Probe: ByteStreamDelegate, @unchecked Sendable {
    struct Seen: Sendable {
        var received: [UInt8] = []
        var receivedCount = 0
        /// How often bytes came.
        var deliveries = 0
        var connected = 0
        var peerFinished = 0
        var drained = 0
        var closed = 0
        var error: TransportError?
        /// Calls that came after `didClose`.
        var late = 0
    }

    let facts = Facts(Seen())
    var stream: ByteStream?
    /// Whether the bytes themselves are kept, or only counted.
    var keepsBytes = true
    var onConnect: ((ByteStream) -> Void)?
    var onReceive: ((ByteStream, [UInt8]) -> Void)?
    var onPeerFinished: ((ByteStream) -> Void)?
    var onDrain: ((ByteStream) -> Void)?
    var onClose: ((ByteStream) -> Void)?

    func take(_ stream: ByteStream) {
        self.stream = stream
        stream.delegate = self
    }

    private func note(_ change: (inout Seen) -> Void) {
        facts.change { seen in
            if seen.closed > 0 { seen.late += 1 }
            change(&seen)
        }
    }

    func streamDidConnect(_ stream: ByteStream) {
        note { $0.connected += 1 }
        onConnect?(stream)
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        let copy = unsafe bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        note {
            if keepsBytes { $0.received += copy }
            $0.receivedCount += copy.count
            $0.deliveries += 1
        }
        onReceive?(stream, copy)
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        note { $0.peerFinished += 1 }
        onPeerFinished?(stream)
    }

    func streamDidDrain(_ stream: ByteStream) {
        note { $0.drained += 1 }
        onDrain?(stream)
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        note {
            $0.closed += 1
            $0.error = error
        }
        onClose?(stream)
        // They may refer to the probe itself.
        (onConnect, onReceive, onPeerFinished, onDrain, onClose) = (nil, nil, nil, nil, nil)
    }

    /// Waits until the stream has closed.
    @discardableResult
    func waitForClose() async -> Seen { await facts.wait { $0.closed > 0 } }
}
