internal import Glibc

/// Where a socket is bound or connected to.
public enum SocketAddress: Sendable, Hashable {
    /// An IPv4 address, as a number in host order, and a port.
    case ipv4(UInt32, port: UInt16)
    /// An IPv6 address, its first and second eight bytes as numbers in host order, with the scope of link-local ones.
    case ipv6(UInt64, UInt64, scope: UInt32, port: UInt16)
    /// All addresses of the machine, of both families; to listen on.
    case any(port: UInt16)
    /// A host name, which `resolved()` turns into addresses.
    case name(String, port: UInt16)
    /// A Unix socket; the path of a peer is usually empty.
    case unix(path: String)

    /// Where somebody is of whom a proxy does not tell it: nowhere, so that nothing is allowed because of it.
    public static let untold = SocketAddress.name("unknown", port: 0)

    /// The port; nil for a Unix socket.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, _, _, let port), .any(let port), .name(_, let port): port
        case .unix: nil
        }
    }

    /// The address without the port, as it is usually written: `127.0.0.1`, `::1`, a name, `unix`; empty for all
    /// addresses.
    public var host: String {
        switch self {
        case .ipv4, .ipv6: numericHost
        case .any: ""
        case .name(let name, _): name
        case .unix: "unix"
        }
    }

    /// Whether only programs on this machine can be at the other end.
    ///
    /// A name counts only when it is `localhost`; resolve others first.
    public var isLoopback: Bool {
        switch self {
        case .ipv4(let address, _): address >> 24 == 127
        case .ipv6(0, 1, _, _): true
        case .ipv6: false
        case .any: false
        case .name(let name, _): name.lowercased() == "localhost"
        case .unix: true
        }
    }

    /// The same host with another port; a Unix socket has none and stays as it is.
    public func with(port: UInt16) -> SocketAddress {
        switch self {
        case .ipv4(let address, _): .ipv4(address, port: port)
        case .ipv6(let high, let low, let scope, _): .ipv6(high, low, scope: scope, port: port)
        case .any: .any(port: port)
        case .name(let name, _): .name(name, port: port)
        case .unix: self
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address in the form that `parse(_:)` takes.
    public var description: String {
        switch self {
        case .ipv4(_, let port): "\(host):\(port)"
        case .ipv6(_, _, _, let port): "[\(host)]:\(port)"
        case .any(let port): ":\(port)"
        case .name(let name, let port): "\(name):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension SocketAddress {
    /// Reads `HOST:PORT`, `[V6]:PORT`, `:PORT` or `unix:PATH`.
    ///
    /// `HOST` is an IPv4 address or a name, `PORT` a number up to 65535; port 0 takes a free one when listened on.
    ///
    /// - Throws: `TransportError.invalidAddress`, which says what is wrong.
    public static func parse(_ text: String) throws(TransportError) -> SocketAddress {
        if text.hasPrefix("unix:") { return try parse(path: text.dropFirst(5)) }
        guard let colon = text.lastIndex(of: ":") else {
            throw invalid(text, "a port is missing; write HOST:PORT, [V6]:PORT, :PORT or unix:PATH")
        }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw invalid(text, "the port must be a number from 0 to 65535")
        }
        let host = text[..<colon]
        if host.isEmpty { return .any(port: port) }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard host.contains(":"), let address = numeric(host: String(host.dropFirst().dropLast()), port: port)
            else {
                throw invalid(text, "what stands in brackets must be an IPv6 address")
            }
            return address
        }
        guard !host.contains(":") else { throw invalid(text, "write an IPv6 address in brackets: [::1]:8080") }
        guard host.utf8.count <= 253, host.utf8.allSatisfy(isNameByte) else {
            throw invalid(text, "a host name is made of letters, digits, - and .")
        }
        return numeric(host: String(host), port: port) ?? .name(String(host), port: port)
    }

    private static func parse(path: Substring) throws(TransportError) -> SocketAddress {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw invalid("unix:\(path)", "the path is missing") }
        guard path.utf8.count <= longestPath else {
            throw invalid("unix:\(path)", "the path is longer than \(longestPath) bytes")
        }
        return .unix(path: String(path))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func invalid(_ text: String, _ reason: String) -> TransportError {
        .invalidAddress("\"\(text)\" is not an address: \(reason)")
    }
}
