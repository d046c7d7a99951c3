internal import Transport

/// A connection between two of our own processes: one JSON value a line, both ways.
final class LineStream: ByteStreamDelegate {
    /// What one line may be long at most; a day's time line of one worker is about 20 MB.
    private static let limit = 64 << 20

    private var stream: ByteStream?
    private var line: [UInt8] = []
    /// Is given each value that comes.
    var received: ((JSON) -> Void)?
    /// Is told once that the connection stands.
    var opened: (() -> Void)?
    /// Is told once that no more will come, and why.
    var ended: ((String) -> Void)?

    /// Takes over a connection that was accepted.
    init(_ stream: ByteStream) {
        self.stream = stream
        stream.delegate = self
    }

    /// Begins a connection.
    init(to addresses: [SocketAddress], on loop: EventLoop) throws(TransportError) {
        stream = try ByteStream.connect(toFirstOf: addresses, serverName: "", on: loop, delegate: self)
    }

    /// Sends a value.
    func send(_ value: JSON) {
        stream?.send(copying: Array((value.description + "\n").utf8))
    }

    /// Ends it in order.
    func finish() { stream?.finish() }

    func streamDidConnect(_ stream: ByteStream) { opened?() }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        let span = Span<UInt8>(_bytes: bytes.bytes)
        for index in span.indices {
            guard span[index] == UInt8(ascii: "\n") else {
                line.append(span[index])
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line.removeAll(keepingCapacity: true)
            guard let value = try? JSON(reading: text) else { return stream.abort() }
            received?(value)
        }
        if line.count > LineStream.limit { stream.abort() }
    }

    func streamDidFinishReading(_ stream: ByteStream) { stream.finish() }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        self.stream = nil
        ended?(error.map { "\($0)" } ?? "the connection ended")
        received = nil
        opened = nil
        ended = nil
    }
}
