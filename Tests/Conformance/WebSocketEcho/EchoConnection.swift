import HTTP
import Transport
import WebSocket

/// One connection that echoes, from its opening handshake on.
final class EchoConnection: ByteStreamDelegate {
    private enum Opening {
        case server(RequestHeadParser)
        case client(ClientHandshake)
        case done
    }

    private var opening: Opening
    /// What came before the handshake was complete.
    private var head: [UInt8] = []
    private var peer: WebSocketPeer
    private var handler: EchoHandler
    private let ended: (EchoConnection, (any Error)?) -> Void
    private var failure: (any Error)?
    private let echoes: Bool

    /// The first text message that came.
    var firstText: String? { handler.firstText }

    /// The server's end.
    init(ended: @escaping (EchoConnection, (any Error)?) -> Void) {
        opening = .server(RequestHeadParser(limits: HTTPLimits()))
        peer = WebSocketPeer(role: .server, limits: EchoHandler.limits)
        handler = EchoHandler(role: .server, echoes: true)
        echoes = true
        self.ended = ended
    }

    /// The client's end; it echoes, or only listens.
    init(_ handshake: ClientHandshake, echoes: Bool, ended: @escaping (EchoConnection, (any Error)?) -> Void) {
        opening = .client(handshake)
        peer = WebSocketPeer(role: .client, limits: EchoHandler.limits)
        handler = EchoHandler(role: .client, echoes: echoes)
        self.echoes = echoes
        self.ended = ended
    }

    func streamDidConnect(_ stream: ByteStream) {
        if case .client(let handshake) = opening {
            stream.send(copying: handshake.request)
        }
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        switch opening {
        case .done:
            echo(&bytes, on: stream)
        case .server(let parser):
            keep(bytes)
            answerRequest(parser, on: stream)
        case .client(let handshake):
            keep(bytes)
            readAnswer(handshake, on: stream)
        }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        // After the closing handshake it does not matter how the transport ends.
        ended(self, peer.state == .closed ? nil : failure ?? error)
    }

    private func keep(_ bytes: borrowing MutableRawSpan) {
        let elements = Span<UInt8>(_bytes: bytes.bytes)
        for index in elements.indices {
            head.append(elements[index])
        }
    }

    private func answerRequest(_ parser: RequestHeadParser, on stream: ByteStream) {
        do {
            var parser = parser
            guard let (request, consumed) = try parser.parse(head.span) else {
                opening = .server(parser)
                return
            }
            let answer = ServerHandshake.answer(
                method: request.method, minorVersion: request.minorVersion, headers: request.headers.pairs,
                subprotocols: [], deflate: DeflateSettings())
            guard case .accept(let response, _, let deflate) = answer else {
                refuse(stream)
                return
            }
            stream.send(copying: response)
            begin(after: consumed, with: deflate, on: stream)
        } catch {
            refuse(stream)
        }
    }

    private func refuse(_ stream: ByteStream) {
        stream.send(copying: Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
        stream.finish()
    }

    private func readAnswer(_ handshake: ClientHandshake, on stream: ByteStream) {
        var handshake = handshake
        do {
            let consumed = try handshake.receive(head.span)
            if let consumed {
                begin(after: consumed, with: handshake.deflate, on: stream)
            } else {
                opening = .client(handshake)
                head = []
            }
        } catch {
            failure = error
            stream.abort()
        }
    }

    private func begin(after consumed: Int, with deflate: DeflateParameters?, on stream: ByteStream) {
        opening = .done
        if deflate != nil {
            peer = WebSocketPeer(role: peer.role, limits: EchoHandler.limits, deflate: deflate)
            handler = EchoHandler(role: peer.role, echoes: echoes, deflate: deflate)
        }
        var rest = Array(head[consumed...])
        head = []
        var elements = rest.mutableSpan
        var bytes = MutableRawSpan(_elements: &elements)
        echo(&bytes, on: stream)
    }

    private func echo(_ bytes: inout MutableRawSpan, on stream: ByteStream) {
        var answers: [UInt8] = []
        peer.receive(&bytes, answering: &answers, &handler)
        let output = handler.merged(with: answers)
        if !output.isEmpty { stream.send(copying: output) }
        if peer.shouldCloseTransport { stream.finish() }
    }
}
