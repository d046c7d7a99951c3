#if FANFARE_URLSESSION
import Foundation
import Wire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where a broker can be reached; `URLSession` finds out by itself.
struct Route: Sendable {
    static func find(_ url: BrokerURL) -> Result<Route, Loss> { .success(Route()) }
}

// @unchecked: all of it is touched on the queue of the client's loop only, where URLSession calls the delegate and the
// completion handlers as well.
/// One WebSocket connection to a broker by `URLSession`, on platforms that have it.
///
/// Everything it has to say goes to one closure, `.lost` last and once, which answers whether somebody still wants it;
/// after ``abandon()`` it says nothing.
final class Connection: NSObject, @unchecked Sendable {
    /// The number by which the client tells its connections apart.
    let number: UInt64
    /// When something was last heard; `nil` before the first word.
    private(set) var heardAt: Duration?
    private let upgrade: Upgrade
    private var report: (@Sendable (ConnectionEvent) -> Bool)?
    private var whenGone: (@Sendable () -> Void)?
    private var session: URLSession?
    private var task: URLSessionWebSocketTask?
    private var loop: ClientLoop?
    private var closing: (code: UInt16, reason: String)?

    /// What is taken from a broker: its largest messages are snapshots of 100 messages, or of 1,000 that were asked for.
    private static let maxMessageBytes = 16 << 20
    /// How often the broker is asked for a sign of life: its own pings are answered, but not told of.
    private static let pingInterval = Duration.seconds(20)

    /// Makes a connection that does nothing before ``start(by:on:)``.
    init(number: UInt64, _ upgrade: Upgrade, report: @escaping @Sendable (ConnectionEvent) -> Bool) {
        self.number = number
        self.upgrade = upgrade
        self.report = report
    }

    /// Connects.
    ///
    /// - Throws: `Loss` when no attempt could even begin; then nothing is reported.
    func start(by route: Route, on loop: ClientLoop) throws(Loss) {
        let scheme = upgrade.url.isSecure ? "wss" : "ws"
        guard let url = URL(string: "\(scheme)://\(upgrade.url.authority)\(upgrade.target)") else {
            throw .impossible("\(upgrade.url) is no URL for this system")
        }
        var request = URLRequest(url: url)
        request.setValue("fanfare.v1.json", forHTTPHeaderField: "Sec-WebSocket-Protocol")
        if let token = upgrade.token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let queue = OperationQueue()
        // The loop, which this holds, holds the queue.
        unsafe queue.underlyingQueue = loop.queue
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: queue)
        let task = session.webSocketTask(with: request)
        task.maximumMessageSize = Self.maxMessageBytes
        self.loop = loop
        self.session = session
        self.task = task
        receiveNext()
        task.resume()
    }

    /// Sends a request.
    func send(_ request: Request) {
        var text: [UInt8] = []
        request.append(to: &text)
        // A failure ends the task, which is told by the delegate.
        task?.send(.string(String(decoding: text, as: UTF8.self))) { _ in }
    }

    /// Closes with code 1000 and says no more, but for when it is gone.
    func leave(whenGone: @escaping @Sendable () -> Void) {
        report = nil
        guard let task else { return whenGone() }
        self.whenGone = whenGone
        task.cancel(with: .normalClosure, reason: nil)
        session?.finishTasksAndInvalidate()
    }

    /// Breaks off at once and says no more.
    func abandon() {
        report = nil
        session?.invalidateAndCancel()
    }

    private func end(_ loss: Loss) {
        _ = report?(.lost(loss))
        report = nil
    }

    private func heard(_ messages: [BrokerMessage]) {
        heardAt = loop?.time
        // Told of each ping, too: a client may have gone without a word.
        if report?(.messages(messages)) == false { abandon() }
    }

    private func receiveNext() {
        task?.receive { [weak self] result in
            // A failure ends the task, which is told by the delegate.
            guard let self, case .success(let message) = result else { return }
            take(message)
            receiveNext()
        }
    }

    private func take(_ message: URLSessionWebSocketTask.Message) {
        guard report != nil else { return }
        guard case .string(let text) = message else { return misread("it is binary") }
        let bytes = Array(text.utf8)
        upgrade.options.tap?(bytes)
        do throws(BadRequest) {
            heard([try BrokerMessage.decode(bytes.span)])
        } catch {
            misread(error.reason)
        }
    }

    private func misread(_ reason: String) {
        end(.broken("a message of the broker could not be read: \(reason)"))
        session?.invalidateAndCancel()
    }

    private func scheduleSignOfLife() {
        _ = loop?.call(after: Self.pingInterval) { [weak self] in
            guard let self, report != nil, let task else { return }
            task.sendPing { [weak self] error in
                guard let self, error == nil else { return }
                heard([])
            }
            scheduleSignOfLife()
        }
    }
}

extension Connection: URLSessionWebSocketDelegate {
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) {
        heard([])
        scheduleSignOfLife()
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        closing = (UInt16(clamping: code.rawValue), String(decoding: reason ?? Data(), as: UTF8.self))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.task = nil
        session.finishTasksAndInvalidate()
        whenGone?()
        whenGone = nil
        if let closing { return end(.closed(code: closing.code, reason: closing.reason)) }
        if let answer = task.response as? HTTPURLResponse, answer.statusCode != 101 {
            let seconds = answer.value(forHTTPHeaderField: "Retry-After").flatMap { UInt32($0) }
            return end(.rejected(status: answer.statusCode, retryAfter: seconds.map { .seconds($0) }))
        }
        end(Loss(error, wasOpen: heardAt != nil))
    }
}

extension Loss {
    /// The failures that time does not mend: a name that is not known, a certificate that is not accepted.
    private static let lasting: Set<URLError.Code> = [
        .cannotFindHost, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .secureConnectionFailed, .unsupportedURL,
    ]

    /// How the end of a session's task is told.
    fileprivate init(_ error: (any Error)?, wasOpen: Bool) {
        let text = error?.localizedDescription
        if wasOpen {
            self = .broken(text)
        } else if let error = error as? URLError, Self.lasting.contains(error.code) {
            self = .impossible(error.localizedDescription)
        } else {
            self = .unreachable(text ?? "the connection was refused")
        }
    }
}
#endif
