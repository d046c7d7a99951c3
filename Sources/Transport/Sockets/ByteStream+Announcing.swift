internal import Glibc

/// What a listener needs behind proxies that speak the PROXY protocol: every connection begins with its header.
public struct ProxyProtocol {
    /// Why a connection was ended before anybody saw it.
    public enum Refusal: Sendable, Equatable {
        /// It did not come from a proxy that is trusted.
        case untrusted
        /// What it began with was no header, or one that is not taken.
        case malformed(Fault)
        /// The header took too long.
        case timedOut
    }

    /// What is wrong with a header.
    public enum Fault: Sendable, Equatable {
        /// There is none: what came begins like neither version.
        case noHeader
        /// It begins like version 2, and says to be of another one.
        case version
        /// Its command is neither LOCAL nor PROXY.
        case command
        /// It is of a family or transport that is not taken: neither TCP nor a Unix stream.
        case family
        /// It has no room for its addresses.
        case short
        /// It is longer than is taken.
        case long
        /// A line of version 1 is not written as it must be.
        case line
        /// The connection ended within it.
        case cut
    }

    let isTrusted: (SocketAddress) -> Bool
    let refused: (SocketAddress, Refusal) -> Void

    /// Makes the rules.
    ///
    /// - Parameters:
    ///   - isTrusted: whether a peer may say whose connection it passes on; asked for each connection, on the loop.
    ///   - refused: hears of each connection that was ended, on the loop.
    public init(
        isTrusted: @escaping (SocketAddress) -> Bool, refused: @escaping (SocketAddress, Refusal) -> Void
    ) {
        self.isTrusted = isTrusted
        self.refused = refused
    }
}

/// What a server's stream needs until its proxy has said whose connection it is.
final class Announcement {
    var header = ProxyHeader()
    let proxies: ProxyProtocol
    let accept: (ByteStream) -> Void

    init(_ proxies: ProxyProtocol, accept: @escaping (ByteStream) -> Void) {
        self.proxies = proxies
        self.accept = accept
    }
}

extension ByteStream {
    /// Begins to read the header, which must be there within the limit, together with the TLS handshake.
    func awaitAnnouncement(_ announcement: Announcement, limit: Duration) {
        phase = .announcing
        opening = .server(announcement)
        setDeadline(limit)
        watch()
    }

    /// Reads the header as far as it is there; what comes behind it stays in the socket.
    func continueAnnouncement() {
        guard case .server(let announcement) = opening else { return }
        let buffer = unsafe loop.core.readBuffer
        while phase == .announcing {
            let most = min(announcement.header.missing, buffer.count)
            let count = unsafe recv(descriptor.number, buffer.baseAddress, most, 0)
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? () : close(.last("recv"))
            }
            // One that ends before it has said a byte is somebody who looks whether the port is open.
            if count == 0 { return announcement.header.isEmpty ? close(nil) : refuse(announcement, .malformed(.cut)) }
            do throws(ProxyHeader.Malformed) {
                // The buffer is the loop's, initialised, and nobody else reads into it during the call.
                let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                guard let source = try announcement.header.take(Span(_bytes: bytes)) else { continue }
                announced(source, announcement)
            } catch {
                refuse(announcement, .malformed(error.fault))
            }
        }
    }

    private func announced(_ source: ProxyHeader.Source, _ announcement: Announcement) {
        switch source {
        case .client(let client): (peer, isPassedOn) = (client, true)
        case .unknown: (peer, isPassedOn) = (.untold, true)
        case .proxy: break
        }
        opening = nil
        phase = tls == nil ? .open : .handshaking
        if tls == nil { clearDeadline() }
        announcement.accept(self)
        updateInterest()
    }

    /// The header has not come in time.
    func announcementTimedOut() {
        guard case .server(let announcement) = opening else { return }
        refuse(announcement, .timedOut)
    }

    private func refuse(_ announcement: Announcement, _ refusal: ProxyProtocol.Refusal) {
        announcement.proxies.refused(peer, refusal)
        close(.closed)
    }
}
