/// How a client stands with its broker.
public enum ConnectionState: Sendable, Hashable {
    /// A connection is being made.
    case connecting
    /// The broker has said welcome, to this user (`nil`: to nobody in particular).
    case connected(user: String?)
    /// There is no connection; the next attempt begins after this time.
    case waiting(retryAfter: Duration, Loss)
    /// There will be no more connection.
    case closed(CloseReason)
}

/// Why a connection ended or did not come about, where another attempt follows.
public enum Loss: Error, Hashable, CustomStringConvertible {
    /// There was no way to the broker; the text says why.
    case unreachable(String)
    /// There was no way to the broker, and none will open by itself: its name is not known, its certificate not accepted.
    case impossible(String)
    /// The broker, or a proxy before it, answered the upgrade with this HTTP status, and may have said when to come back
    /// and, in a line of text, why.
    case rejected(status: Int, retryAfter: Duration? = nil, words: String? = nil)
    /// No welcome came in time.
    case noWelcome
    /// Nothing was heard for longer than the broker's heartbeat allows.
    case silent
    /// The broker closed with this code (RFC 6455 section 7.4 and PROTOCOL.md section 8).
    case closed(code: UInt16, reason: String)
    /// The connection broke without a word.
    case broken(String?)

    /// Whether it was the token's fault: a new one may help.
    var isOfToken: Bool {
        switch self {
        case .rejected(status: 401, _, _), .closed(code: 4001, _): true
        default: false
        }
    }

    /// Whether it tells of a state of the broker that may change by itself (RFC 9110 section 15): it is not ready, or is
    /// asked too much.
    var mayPass: Bool {
        guard case .rejected(let status, _, _) = self else { return false }
        return status >= 500 || [408, 425, 429].contains(status)
    }

    /// A few words for a person.
    public var description: String {
        switch self {
        case .unreachable(let why), .impossible(let why): why
        case .rejected(let status, let wait, let words):
            "the broker \(status == 503 ? "lets nobody in now (HTTP status 503)" : "answered with HTTP status \(status)")"
                + (wait.map { ", and asks to come back in \($0.components.seconds) s" } ?? "")
                + (words.map { ": \($0)" } ?? "")
        case .noWelcome: "no welcome came in time"
        case .silent: "nothing was heard for too long"
        case .closed(let code, let reason): "the broker closed with \(code)\(reason.isEmpty ? "" : " (\(reason))")"
        case .broken(let why): why.map { "the connection broke: \($0)" } ?? "the connection broke"
        }
    }
}

extension Loss {
    /// The first line of an answer's text, as it may be shown: at most 200 characters, those of control escaped.
    ///
    /// Of a broker's error it is the `message`; `nil` where it is no text for a person but another document, such as HTML.
    static func words(of body: String) -> String? {
        let line = (BrokerError(body)?.message ?? body).unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        guard let first = line.first, !"{[<".unicodeScalars.contains(first) else { return nil }
        return line.prefix(200).map(shown).joined() + (line.dropFirst(200).isEmpty ? "" : "…")
    }

    private static func shown(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        // Formats turn the direction of what follows.
        case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
        default: String(scalar)
        }
    }
}

/// Why a client does not come back.
public enum CloseReason: Sendable, Hashable, CustomStringConvertible {
    /// The program asked for it.
    case requested
    /// The token is bad or ran out, or there is none (HTTP 401, close code 4001).
    case unauthorized(String)
    /// There never was a connection, and trying again is no use: an unknown name, a certificate that is not accepted, an
    /// HTTP status that will stay.
    case unreachable(String)
    /// The broker said that coming back is no use (close code 4003, or `retry_after_ms` null).
    case unwanted(code: UInt16, reason: String)

    /// A few words for a person.
    public var description: String {
        switch self {
        case .requested: "closed"
        case .unauthorized(let why), .unreachable(let why): why
        case .unwanted(let code, let reason):
            "the broker wants no more of this client: \(code)\(reason.isEmpty ? "" : " (\(reason))")"
        }
    }
}

extension ClientError {
    /// What is told to those who still wait when the client does not come back.
    init(_ reason: CloseReason) {
        switch reason {
        case .requested: self.init(.closed, "the client was closed")
        case .unauthorized(let why): self.init(.unauthorized, why)
        case .unreachable(let why): self.init(.unreachable, why)
        case .unwanted: self.init(.forbidden, reason.description)
        }
    }
}
