import Wire

/// Where a client stands with the tokens of ``Identity/tokens(_:)``.
struct TokenRenewal {
    /// The token in use; `nil`: one must be asked for.
    var token: String?
    /// Whether an attempt to connect waits for a token.
    var isAwaited = false
    /// When the token in use runs out, as far as the broker said.
    var end: Duration?
    /// When to ask for the next one; `nil`: it is not known when this one runs out.
    var due: Duration?
    /// What the broker's clock said at its welcome, in Unix milliseconds, and when that was.
    var welcome: (brokerTime: Int64, at: Duration)?

    /// How long a token that is good for so long is kept: until a minute before its end, or until a quarter of its time is left
    /// where that is less; a second at least.
    static func wait(untilEnd left: Duration) -> Duration {
        max(left - min(.seconds(60), left / 4), .seconds(1))
    }
}

extension ReactionClient {
    /// How soon a renewal that failed is tried again.
    private static let renewalRetry = Duration.seconds(5)

    /// What gives the token of the next connection; `nil` where there is one, or none is needed.
    var tokenSource: (@Sendable () async throws -> String)? {
        guard case .tokens(let source) = identity else { return nil }
        let hasRunOut = renewal.end.map { $0 <= now } ?? false
        return renewal.token == nil || hasRunOut || machine.needsNewToken ? source : nil
    }

    /// The token to connect with.
    var token: String? {
        if case .token(let token) = identity { token } else { renewal.token }
    }

    /// Keeps a token for this connection and those to come, without the white space that files and answers end in.
    func hold(_ token: String) {
        let words = token.split(whereSeparator: \.isWhitespace)
        renewal.token = words.count == 1 ? String(words[0]) : token
        renewal.end = nil
    }

    /// The broker has said welcome.
    func welcomed(_ welcome: Welcome) {
        guard machine.state == .connecting else { return }
        guard welcome.user != nil else { return handle(.unrecognized(identity.whyNobody)) }
        renewal.due = nil
        renewal.welcome = (welcome.time, now)
        handle(.welcomed(user: welcome.user, heartbeat: .milliseconds(welcome.heartbeatMilliseconds)))
        // Only the answer to an `auth` tells when a token runs out.
        if case .tokens = identity, let token = renewal.token { authenticate(token) }
    }

    /// The broker said when the token runs out, by its clock.
    func tokenRunsOut(at expires: Int64?) {
        guard case .tokens = identity, let expires, let welcome = renewal.welcome else { return }
        let (left, overflow) = expires.subtractingReportingOverflow(welcome.brokerTime)
        guard !overflow else { return }
        let end = welcome.at + .milliseconds(min(left, 1 << 48))
        renewal.end = end
        renewal.due = now + TokenRenewal.wait(untilEnd: end - now)
        arm()
    }

    /// Asks for a new token, if it is time.
    func renewTokenIfDue() {
        guard let due = renewal.due, now >= due, case .tokens(let source) = identity else { return }
        renewal.due = nil
        guard isConnected else { return }
        Task.detached { [weak self] in
            let token = try? await source()
            await self?.renewed(token)
        }
    }

    private func renewed(_ token: String?) {
        guard let token else {
            renewal.due = now + Self.renewalRetry
            return arm()
        }
        hold(token)
        if isConnected, let token = renewal.token { authenticate(token) }
    }

    private func authenticate(_ token: String) {
        connection?.send(Request(id: .number(outbox.newID()), .auth(token: token)))
    }
}
