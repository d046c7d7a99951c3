import HTTP
import Transport

/// One connection of a client, which carries one request after the other.
final class ClientConnection {
    /// How long connecting and the TLS handshake may take, where the request does not end before.
    private static let connectLimit = Duration.seconds(10)

    let server: HTTPClient.Server
    private let client: HTTPClient
    private var stream: ByteStream?
    private var exchange: ClientExchange?
    private var reader: ResponseReader
    /// Whether a request was answered over it, so that the server may have closed it when the next one is sent.
    private var isUsed = false
    private var hasHeard = false
    private var hasEnded = false
    private var idleTimer: TimerToken?

    /// Makes a connection that is opened with its first request.
    init(_ client: HTTPClient, _ server: HTTPClient.Server) {
        self.client = client
        self.server = server
        reader = ResponseReader(maxBodyBytes: client.maxAnswerBytes)
    }

    /// Sends a request; the answer goes to the client.
    func begin(_ exchange: ClientExchange) {
        self.exchange = exchange
        exchange.connection = self
        reader = ResponseReader(maxBodyBytes: client.maxAnswerBytes)
        hasHeard = false
        if let idleTimer { client.loop.cancel(idleTimer) }
        idleTimer = nil
        if let stream {
            stream.send(copying: exchange.request.bytes)
        } else {
            NameLookup.addresses(of: server.address, on: client.loop) { [self] in open($0, for: exchange) }
        }
    }

    /// Gives a request up whose answer nobody waits for any more.
    func abandon(_ exchange: ClientExchange) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        end()
    }

    private func open(_ addresses: Result<[SocketAddress], TransportError>, for exchange: ClientExchange) {
        guard self.exchange === exchange, !hasEnded else { return }
        do throws(TransportError) {
            let stream = try ByteStream.connect(
                toFirstOf: try addresses.get(), serverName: server.address.host, on: client.loop,
                tls: server.isSecure ? TLSClientSettings(caFile: server.caFile) : nil,
                limit: Self.connectLimit, delegate: self)
            self.stream = stream
            stream.send(copying: exchange.request.bytes)
        } catch {
            fail(error.description)
        }
    }

    /// Ends the connection and tells who waits why.
    private func fail(_ reason: String) {
        let exchange = exchange
        self.exchange = nil
        end()
        if let exchange { client.finish(exchange, .failure(.failed(reason))) }
    }

    /// The connection is of no more use.
    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        if let idleTimer { client.loop.cancel(idleTimer) }
        idleTimer = nil
        stream?.abort()
        stream = nil
        client.ended(self)
    }

    /// Hands a whole answer over, and keeps the connection where another request may follow.
    private func complete(isReusable: Bool) {
        guard let exchange, let head = reader.head else { return }
        self.exchange = nil
        isUsed = true
        let answer = ClientAnswer(status: head.status, headers: head.headers, body: reader.body)
        if isReusable {
            idleTimer = client.loop.schedule(
                Alarm { [unowned self] in
                    idleTimer = nil
                    end()
                }, after: client.keepAlive)
            client.becameIdle(self)
        } else {
            end()
        }
        client.finish(exchange, .success(answer))
    }
}

extension ClientConnection: ByteStreamDelegate {
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard exchange != nil else { return end() }  // nothing was asked
        hasHeard = true
        do throws(ResponseError) {
            let taken = try reader.receive(Span(_bytes: bytes.bytes))
            if reader.isComplete { complete(isReusable: reader.keepsAlive && taken == bytes.byteCount) }
        } catch {
            fail(error.reason)
        }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        guard exchange != nil, hasHeard || !isUsed else { return closed("the connection was closed") }
        do throws(ResponseError) {
            try reader.end()
            complete(isReusable: false)
        } catch {
            fail(error.reason)
        }
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        guard stream === self.stream else { return }
        closed(error?.description ?? "the connection was closed")
    }

    /// The server has closed: where it did so before it could see the request, another connection is tried, once.
    private func closed(_ reason: String) {
        guard isUsed, !hasHeard, let exchange, !exchange.hasBeenRetried else { return fail(reason) }
        self.exchange = nil
        end()
        client.retry(exchange)
    }
}
