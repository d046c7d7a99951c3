internal import Transport

/// Sends bytes one at a time, a few milliseconds apart.
final class Dribble: TimerHandler {
    private let bytes: [UInt8]
    private let stream: ByteStream
    private var sent = 0

    init(_ bytes: [UInt8], to stream: ByteStream) {
        self.bytes = bytes
        self.stream = stream
    }

    /// Sends the first byte.
    func begin() {
        guard sent < bytes.count, !stream.isClosed else { return }
        stream.send(copying: [bytes[sent]])
        sent += 1
        stream.loop.schedule(self, after: .milliseconds(2))
    }

    func timerFired(_ now: MonotonicTime) { begin() }
}

/// Keeps a stream from reading for as long as what it has just read takes at a rate.
final class Rest: TimerHandler {
    private let stream: ByteStream
    private let length: Duration

    init(_ bytes: Int, at bytesPerSecond: Int, of stream: ByteStream) {
        self.stream = stream
        length = .seconds(Double(bytes) / Double(max(1, bytesPerSecond)))
    }

    /// Stops reading now.
    func begin() {
        guard !stream.isReadingPaused else { return }
        stream.pauseReading()
        stream.loop.schedule(self, after: length)
    }

    func timerFired(_ now: MonotonicTime) { stream.resumeReading() }
}

/// Connections that ask for half an upgrade and say nothing more, until the server ends them.
final class HalfOpen: LoadGroup, ByteStreamDelegate {
    let connector: Connector
    private let count: Int
    private var open: Set<ObjectIdentifier> = []

    init(_ count: Int, connector: Connector) {
        self.count = count
        self.connector = connector
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        for number in 0..<count {
            do {
                _ = try connector.dial.open(number, on: connector.loop, hasSmallBuffer: false, delegate: self)
            } catch {
                connector.tally.failed += 1
                connector.tally.count("connect: \(error)")
            }
        }
        whenDone()
    }

    func connectionDidOpen(_ connection: LoadConnection) {}

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {}

    func streamDidConnect(_ stream: ByteStream) {
        connector.tally.opened += 1
        open.insert(ObjectIdentifier(stream))
        stream.send(copying: Array("GET /v1/ws HTTP/1.1\r\nHost: half".utf8))
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {}

    func streamDidFinishReading(_ stream: ByteStream) { stream.finish() }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        guard open.remove(ObjectIdentifier(stream)) != nil else {
            connector.tally.failed += 1
            return connector.tally.count("connect: \(error.map { "\($0)" } ?? "closed")")
        }
        connector.tally.left += 1
        connector.tally.halfOpenEnded += 1
    }
}
