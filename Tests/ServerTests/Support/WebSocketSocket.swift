import Foundation
import Glibc
import WebSocket

/// A client's end of a WebSocket connection, on a blocking socket.
final class WebSocketSocket {
    private struct Inbox: WebSocketHandler {
        var texts: [[UInt8]] = []

        mutating func received(text: Span<UInt8>) {
            texts.append(text.indices.map { text[$0] })
        }

        mutating func received(binary: Span<UInt8>) {}
    }

    private let socket: RawSocket
    private var peer = WebSocketPeer(role: .client)
    private var inbox = Inbox()
    private var lastID = 0

    init(_ socket: RawSocket, user: String, headers: [String: String] = [:]) throws {
        self.socket = socket
        let more = headers.map { "\($0): \($1)\r\n" }.joined()
        let handshake = """
            GET /v1/ws?user=\(user) HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(more)\r\n
            """
        try socket.send(Array(handshake.utf8))
        let http = HTTPSocket(socket)
        let head = try http.head()
        guard head.status == 101 else { throw HTTPSocket.Malformed(bytes: "status \(head.status)") }
        take(http.rest())
        _ = try receive()
    }

    private func take(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var bytes = bytes
        var elements = bytes.mutableSpan
        var span = MutableRawSpan(_elements: &elements)
        var answers: [UInt8] = []
        peer.receive(&span, answering: &answers, &inbox)
    }

    /// The next message.
    func receive() throws -> [String: Any] {
        while inbox.texts.isEmpty {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw HTTPSocket.Malformed(bytes: "the WebSocket ended") }
            take(bytes)
        }
        let text = inbox.texts.removeFirst()
        return (try JSONSerialization.jsonObject(with: Data(text))) as? [String: Any] ?? [:]
    }

    /// Sends a request, the members of a JSON object, and gives its reply.
    func request(_ members: String) throws -> [String: Any] {
        lastID += 1
        try send(#"{"id":\#(lastID),\#(members)}"#)
        while true {
            let message = try receive()
            if message["id"] as? Int == lastID { return message }
        }
    }

    /// Sends messages in one piece, and the end of the conversation behind them.
    func send(_ texts: [String], closing: Bool = false) throws {
        var frames: [UInt8] = []
        for text in texts { peer.send(text: Array(text.utf8).span, into: &frames) }
        if closing { peer.sendClose(code: 1000, reason: "", into: &frames) }
        try socket.send(frames)
    }

    /// Ends with a reset, at the object's end.
    func resetOnClose() {
        socket.resetOnClose()
    }

    /// Whether the server ends the connection within so many milliseconds; nothing is read.
    func isEnded(within milliseconds: CInt) -> Bool {
        var watched = pollfd(fd: socket.number, events: 0, revents: 0)
        return unsafe poll(&watched, 1, milliseconds) != 0
    }

    func send(_ text: String) throws {
        var frame: [UInt8] = []
        peer.send(text: Array(text.utf8).span, into: &frame)
        try socket.send(frame)
    }
}
