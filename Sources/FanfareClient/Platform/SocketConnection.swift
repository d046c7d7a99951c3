#if !FANFARE_URLSESSION
import Transport
import WebSocket
import Wire

/// Where a broker can be reached.
struct Route: Sendable {
    var addresses: [SocketAddress]

    /// Looks a broker's name up, by a call that blocks.
    static func find(_ url: BrokerURL) -> Result<Route, Loss> {
        do throws(TransportError) {
            return .success(Route(addresses: try SocketAddress.name(url.host, port: url.port).resolved()))
        } catch {
            return .failure(Loss(error))
        }
    }
}

/// One WebSocket connection to a broker: what lies between the bytes of a stream and the client.
///
/// It lives on the client's loop. Everything it has to say goes to one closure, `.lost` last and once, which answers
/// whether somebody still wants it; after ``abandon()`` it says nothing.
final class Connection {
    /// The number by which the client tells its connections apart.
    let number: UInt64
    private let upgrade: Upgrade
    private var report: (@Sendable (ConnectionEvent) -> Bool)?
    private var whenGone: (@Sendable () -> Void)?
    private var stream: ByteStream?
    private var handshake: ClientHandshake
    private let request: [UInt8]
    private var isConnected = false
    private var isUpgraded = false
    private var peer = WebSocketPeer(role: .client, limits: Connection.limits)
    private var output: [UInt8] = []
    private var closing: (code: UInt16, reason: String)?

    /// What is taken from a broker: its largest messages are snapshots of 100 messages, or of 1,000 that were asked for.
    private static let limits = WebSocketLimits(maxFrameBytes: 16 << 20, maxMessageBytes: 16 << 20)

    /// What is offered where compression is wanted: requests are short, and a broker's messages come each by itself.
    private static let deflate = DeflateSettings(
        keepsOwnContext: false, keepsPeerContext: false, minimumBytes: 1_024, maxRatio: .max)

    /// Makes a connection that does nothing before ``start(by:on:)``.
    init(number: UInt64, _ upgrade: Upgrade, report: @escaping @Sendable (ConnectionEvent) -> Bool) {
        self.number = number
        self.upgrade = upgrade
        self.report = report
        var headers: [(name: String, value: String)] = []
        if let token = upgrade.token { headers.append((name: "Authorization", value: "Bearer \(token)")) }
        handshake = ClientHandshake(
            host: upgrade.url.authority, path: upgrade.target, subprotocols: ["fanfare.v1.json"],
            deflate: upgrade.options.compression ? Self.deflate : nil, headers: headers,
            nonce: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
        request = handshake.request
    }

    /// Connects to the first of the addresses that answers.
    ///
    /// - Throws: `Loss` when no attempt could even begin; then nothing is reported.
    func start(by route: Route, on loop: ClientLoop) throws(Loss) {
        let options = upgrade.options
        let tls = TLSClientSettings(verifies: options.verifiesCertificates, caFile: options.trustedCertificates)
        do throws(TransportError) {
            stream = try ByteStream.connect(
                toFirstOf: route.addresses, serverName: upgrade.url.host, on: loop,
                tls: upgrade.url.isSecure ? tls : nil, limit: options.connectTimeout, delegate: self)
        } catch {
            throw Loss(error)
        }
    }

    /// When something was last heard; `nil` before the first byte.
    var heardAt: Duration? { isUpgraded ? stream?.receivedAt.sinceOrigin : nil }

    /// Sends a request, in the same write as all others of this turn of the loop.
    func send(_ request: Request) {
        guard isUpgraded, let stream else { return }
        var text: [UInt8] = []
        request.append(to: &text)
        output.removeAll(keepingCapacity: true)
        peer.send(text: text.span, into: &output)
        stream.send(copying: output)
    }

    /// Closes with code 1000 and says no more, but for when it is gone.
    func leave(whenGone: @escaping @Sendable () -> Void) {
        report = nil
        guard let stream else { return whenGone() }
        self.whenGone = whenGone
        guard isUpgraded else { return stream.abort() }
        output.removeAll(keepingCapacity: true)
        peer.sendClose(code: WebSocketCloseCode.normal, into: &output)
        stream.send(copying: output)
        stream.finish()
    }

    /// Breaks off at once and says no more.
    func abandon() {
        report = nil
        stream?.abort()
    }

    private func end(_ loss: Loss) {
        _ = report?(.lost(loss))
        report = nil
    }
}

extension Connection: ByteStreamDelegate {
    func streamDidConnect(_ stream: ByteStream) {
        isConnected = true
        stream.send(copying: request)
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard report != nil else { return }
        guard !isUpgraded else { return receive(&bytes) }
        do throws(HandshakeError) {
            guard let consumed = try handshake.receive(Span(_bytes: bytes.bytes)) else { return }
            isUpgraded = true
            if let deflate = handshake.deflate {
                peer = WebSocketPeer(role: .client, limits: Connection.limits, deflate: deflate)
            }
            var rest = bytes._mutatingExtracting(droppingFirst: consumed)
            receive(&rest)
        } catch {
            end(Loss(error))
            stream.abort()
        }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        whenGone?()
        guard report != nil else { return }
        if let closing { return end(.closed(code: closing.code, reason: closing.reason)) }
        if let failure = peer.failure { return end(.broken(failure.description)) }
        if error == .truncated, !isConnected { return end(.endedHandshake) }
        end(isUpgraded ? .broken(error?.description) : Loss(error))
    }

    private func receive(_ bytes: inout MutableRawSpan) {
        var receiver = Receiver(tap: upgrade.options.tap)
        output.removeAll(keepingCapacity: true)
        peer.receive(&bytes, answering: &output, &receiver)
        if !output.isEmpty { stream?.send(copying: output) }
        closing = closing ?? receiver.closing
        // Told of each ping, too: a client may have gone without a word.
        if report?(.messages(receiver.messages)) == false { return abandon() }
        if let reason = receiver.misread {
            end(.broken("a message of the broker could not be read: \(reason)"))
            stream?.abort()
        } else if peer.state == .closed {
            stream?.finish()
        }
    }
}

/// What a read of the socket brought.
private struct Receiver: WebSocketHandler {
    let tap: (@Sendable ([UInt8]) -> Void)?
    var messages: [BrokerMessage] = []
    var closing: (code: UInt16, reason: String)?
    var misread: String?

    init(tap: (@Sendable ([UInt8]) -> Void)?) {
        self.tap = tap
    }

    mutating func received(text: Span<UInt8>) {
        guard misread == nil else { return }
        if let tap { tap(copy(text)) }
        do throws(BadRequest) {
            messages.append(try BrokerMessage.decode(text))
        } catch {
            misread = error.reason
        }
    }

    mutating func received(binary: Span<UInt8>) {
        misread = "it is binary"
    }

    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {
        closing = (code ?? WebSocketCloseCode.noStatus, String(decoding: copy(reason), as: UTF8.self))
    }

    private func copy(_ span: Span<UInt8>) -> [UInt8] {
        // The pointer is valid for the closure, and the copy keeps no reference to it.
        unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Loss {
    /// What a port without TLS does to a client that begins with it: it ends the connection.
    fileprivate static let endedHandshake = Loss.unreachable(
        "TLS: the other side ended the handshake; is this port TLS? One without it is ws:// or http://")

    /// How a connection that did not come about is told.
    init(_ error: TransportError?) {
        switch error {
        case .untrusted, .unresolved(_, _, mayPass: false), .unusableFile, .invalidAddress:
            self = .impossible(error?.description ?? "")
        default: self = .unreachable(error?.description ?? "the connection was refused")
        }
    }

    /// How a failed handshake is told.
    init(_ error: HandshakeError) {
        if case .refused(let status, let body, let seconds) = error {
            self = .rejected(
                status: status, retryAfter: seconds.map { .seconds($0) },
                words: status < 500 ? Loss.words(of: body) : nil)
        } else {
            self = .unreachable(error.description)
        }
    }
}
#endif
