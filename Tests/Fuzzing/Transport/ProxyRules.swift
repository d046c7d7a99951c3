import Transport

/// Any bytes ahead of a connection are a proxy's header or none, and one that was written plainly is read as it was.
///
/// Input: a seed for the cutting, the bytes.
enum ProxyRules {
    private enum Verdict: Equatable {
        case waits, malformed
        /// With the number of bytes that the header took.
        case taken(ProxyHeader.Source, Int)
    }

    static func check(_ input: [UInt8]) throws(Broken) {
        guard let seed = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = read([bytes])
        try expectSame(whole, read(bytes.cut(by: seed)), "the cutting changes the verdict")
        guard case .taken(let source, let count) = whole else { return }
        try expect(count <= ProxyHeader.maxBytes, "a header past the limit")
        // What is behind the header is not asked for, and so changes nothing.
        try expectSame(read([Array(bytes.prefix(count))]), whole, "the header by itself is judged otherwise")
        guard case .client(let address) = source, let port = address.port else { return }
        let family = address.host.contains(":") ? "TCP6" : "TCP4"
        let other = address.host.contains(":") ? "::1" : "127.0.0.1"
        let line = Array("PROXY \(family) \(address.host) \(other) \(port) 80\r\n".utf8)
        try expectSame(read([line]), .taken(source, line.count), "an address came back otherwise")
    }

    /// Takes pieces as from a socket, no more of each than is asked for.
    private static func read(_ pieces: [[UInt8]]) -> Verdict {
        var header = ProxyHeader()
        var taken = 0
        for piece in pieces {
            var rest = piece[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(header.missing))
                rest = rest.dropFirst(part.count)
                taken += part.count
                do throws(ProxyHeader.Malformed) {
                    if let source = try header.take(part.span) { return .taken(source, taken) }
                } catch {
                    return .malformed
                }
            }
        }
        return .waits
    }
}
