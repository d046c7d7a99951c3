import HTTP
import Transport

/// Something to be posted.
struct ClientRequest: Sendable {
    var url: OutboundURL
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    /// How long all of it may take, waiting for a free connection included.
    var timeout: Duration
    var caFile: String?

    /// The request as it is sent (RFC 9112 section 3).
    var bytes: [UInt8] {
        var head = "POST \(url.target) HTTP/1.1\r\nhost: \(url.authority)\r\ncontent-length: \(body.count)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}

/// What a server answered, whatever its status.
struct ClientAnswer: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
}

/// Why there is no answer, in words for a log.
enum ClientError: Error, Equatable, CustomStringConvertible {
    case timedOut
    /// As many requests as may wait do so already.
    case busy
    case failed(String)

    var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .busy: "too many requests wait for the server already"
        case .failed(let reason): reason
        }
    }
}

/// Posts to HTTP servers, over connections that it keeps for a while.
///
/// It belongs to one loop. Redirects are not followed: a 3xx is an answer as any other. To a server over TLS nothing is
/// sent before its certificate is verified.
final class HTTPClient {
    /// What connections are shared by.
    struct Server: Hashable {
        var isSecure: Bool
        var address: SocketAddress
        var caFile: String?
    }

    /// The connections to one server, and what waits for one of them.
    private struct Pool {
        var idle: [ClientConnection] = []
        var connections = 0
        var waiting: [ClientExchange] = []
    }

    typealias Completion = (Result<ClientAnswer, ClientError>) -> Void

    /// How long a connection is kept without use.
    let keepAlive: Duration

    let loop: EventLoop
    /// The most bytes of an answer's body.
    let maxAnswerBytes: Int
    private let maxConnections: Int
    private let maxWaiting: Int
    private var pools: [Server: Pool] = [:]

    /// Makes a client that has at most `maxConnections` to one server, for which at most `maxWaiting` requests wait.
    init(
        on loop: EventLoop, maxConnections: Int, maxWaiting: Int, maxAnswerBytes: Int = 64 << 10,
        keepAlive: Duration = .seconds(30)
    ) {
        self.loop = loop
        self.maxConnections = maxConnections
        self.maxWaiting = maxWaiting
        self.maxAnswerBytes = maxAnswerBytes
        self.keepAlive = keepAlive
    }

    /// Posts a request; `then` is called once, on the loop, possibly before this returns.
    func post(_ request: ClientRequest, then: @escaping Completion) {
        let exchange = ClientExchange(request, then)
        setTimer(of: exchange, request.timeout, .timedOut)
        start(exchange)
    }

    private func start(_ exchange: ClientExchange) {
        let server = exchange.server
        if let connection = pools[server, default: Pool()].idle.popLast() {
            connection.begin(exchange)
        } else if pools[server, default: Pool()].connections < maxConnections {
            pools[server, default: Pool()].connections += 1
            ClientConnection(self, server).begin(exchange)
        } else if pools[server, default: Pool()].waiting.count < maxWaiting {
            pools[server, default: Pool()].waiting.append(exchange)
        } else {
            // Not at once: where the answer leads to the next question, that would not end.
            setTimer(of: exchange, .zero, .busy)
        }
    }

    /// Has an exchange fail after some time, unless it ends before.
    private func setTimer(of exchange: ClientExchange, _ limit: Duration, _ error: ClientError) {
        if let timer = exchange.timer { loop.cancel(timer) }
        exchange.timer = loop.schedule(
            Alarm { [unowned self, exchange] in finish(exchange, .failure(error)) }, after: limit)
    }

    /// Ends an exchange, wherever it is; a second end does nothing.
    func finish(_ exchange: ClientExchange, _ result: Result<ClientAnswer, ClientError>) {
        guard let then = exchange.then else { return }
        exchange.then = nil
        if let timer = exchange.timer { loop.cancel(timer) }
        exchange.timer = nil
        exchange.connection?.abandon(exchange)
        pools[exchange.server]?.waiting.removeAll { $0 === exchange }
        then(result)
    }

    /// Begins an exchange again, over another connection.
    func retry(_ exchange: ClientExchange) {
        exchange.hasBeenRetried = true
        start(exchange)
    }

    // MARK: Connections

    /// A connection has nothing to do any more: it takes what waits, or is kept.
    func becameIdle(_ connection: ClientConnection) {
        if pools[connection.server]?.waiting.isEmpty == false,
            let next = pools[connection.server]?.waiting.removeFirst()
        {
            connection.begin(next)
        } else {
            pools[connection.server, default: Pool()].idle.append(connection)
        }
    }

    /// A connection is gone: another may take its place.
    func ended(_ connection: ClientConnection) {
        let server = connection.server
        guard var pool = pools[server] else { return }
        pool.idle.removeAll { $0 === connection }
        pool.connections -= 1
        let next = pool.waiting.isEmpty ? nil : pool.waiting.removeFirst()
        pools[server] = pool.connections == 0 && next == nil ? nil : pool
        if let next { start(next) }
    }
}

/// One request on its way, and who waits for its answer.
final class ClientExchange {
    let request: ClientRequest
    /// `nil` once it was told.
    var then: HTTPClient.Completion?
    var timer: TimerToken?
    var hasBeenRetried = false
    weak var connection: ClientConnection?

    init(_ request: ClientRequest, _ then: @escaping HTTPClient.Completion) {
        self.request = request
        self.then = then
    }

    var server: HTTPClient.Server {
        .init(isSecure: request.url.isSecure, address: request.url.address, caFile: request.caFile)
    }
}
