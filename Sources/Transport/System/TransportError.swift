internal import Glibc

/// What went wrong with a socket, a loop or TLS.
public enum TransportError: Error, Sendable, Hashable {
    /// A system call failed with this `errno`.
    case system(call: String, errno: CInt)
    /// TLS failed, or was not what the peer speaks.
    case tls(String)
    /// The peer's certificate is not accepted; says why.
    case untrusted(String)
    /// The peer ended the connection without `close_notify`, so that something may be missing (RFC 8446, section 6.1).
    case truncated
    /// A file of certificates or a key cannot be used; names the file and says why.
    case unusableFile(String)
    /// Something that is bounded in time took too long; says what.
    case timedOut(String)
    /// The peer was gone, or the loop stopped.
    case closed
    /// A text is no socket address; says why and what is meant.
    case invalidAddress(String)
    /// A host name has no address; says why, and whether that may be another in a while: there is no network, say.
    case unresolved(host: String, reason: String, mayPass: Bool)
    /// The path of a Unix socket cannot be taken; says why.
    case occupiedPath(String)

    /// The failure of the system call that was made just now; read before anything else can change `errno`.
    static func last(_ call: String) -> TransportError {
        .system(call: call, errno: errno)
    }
}

extension TransportError: CustomStringConvertible {
    /// The error in one short line, for people and logs.
    public var description: String {
        switch self {
        case .system(let call, let number): "\(call): \(Self.text(of: number))"
        case .tls(let reason): "TLS: \(reason)"
        case .untrusted(let reason): "TLS: the certificate is not accepted: \(reason)"
        case .truncated: "TLS: the peer ended without close_notify"
        case .unusableFile(let reason): reason
        case .timedOut(let what): "\(what) took too long"
        case .closed: "the connection is closed"
        case .invalidAddress(let reason): reason
        case .unresolved(let host, let reason, _): "\(host): \(reason)"
        case .occupiedPath(let reason): reason
        }
    }

    /// What an `errno` means.
    static func text(of number: CInt) -> String {
        // `strerror` answers from one static buffer, other threads may be using it; the copy form is asked instead.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, unsafe strerror_r(number, start, buffer.count) == 0 else {
                return "error \(number)"
            }
            return unsafe String(cString: start)
        }
    }
}
