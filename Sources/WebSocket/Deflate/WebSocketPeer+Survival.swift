extension WebSocketPeer {
    /// Feeds arbitrary bytes to a peer with permessage-deflate, as a fuzzer does.
    ///
    /// The first byte picks the role, the context and the window; the second, into how long pieces the rest is cut, of
    /// which each is framed as the peer expects frames where the first byte's top bit says so, and is taken as it is
    /// where not.
    /// - Returns: The most bytes of a message that the peer held, at most 65,536.
    package static func survives(_ bytes: Span<UInt8>) -> Int {
        guard bytes.count >= 2 else { return 0 }
        let (choice, length) = (bytes[0], Int(bytes[1]) + 1)
        let role: WebSocketRole = choice & 1 == 0 ? .server : .client
        var peer = WebSocketPeer(
            role: role,
            deflate: DeflateParameters(
                keepsPeerContext: choice & 2 == 0, peerWindowBits: 8 + Int(choice >> 2 & 7), maxRatio: .max))
        var (handler, output, most) = (Deaf(), [UInt8](), 0)
        for start in stride(from: 2, to: bytes.count, by: length) {
            var piece: [UInt8] = []
            let part = bytes.extracting(start..<min(start + length, bytes.count))
            if choice & 0x80 == 0 {
                piece.append(part)
            } else {
                let maskingKey: UInt32? = role == .server ? 0 : nil
                WebSocketFrame.append(.binary, part, isCompressed: true, maskingKey: maskingKey, to: &piece)
            }
            var elements = piece.mutableSpan
            var raw = MutableRawSpan(_elements: &elements)
            peer.receive(&raw, answering: &output, &handler)
            most = max(most, peer.assembly.count)
        }
        return most
    }

    /// A handler that takes everything.
    private struct Deaf: WebSocketHandler {
        mutating func received(text: Span<UInt8>) {}
        mutating func received(binary: Span<UInt8>) {}
    }
}
