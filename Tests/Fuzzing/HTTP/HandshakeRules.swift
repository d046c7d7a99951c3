import WebSocket

/// Any answer to a client's handshake is judged the same however it is cut.
///
/// Input: a byte of options, a seed for the cutting, the answer. The nonce is fixed, so the right key can be in a corpus.
enum HandshakeRules {
    private enum Verdict: Equatable {
        case waits
        case accepted(headBytes: Int, subprotocol: String?, deflate: DeflateParameters?)
        case refused(status: Int)
        case wrong(HandshakeError)
    }

    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let offered = input[0] & 1 == 0 ? ["fanfare.v1.json", "b"] : []
        let answer = Array(input[2...])
        let deflate = input[0] & 2 == 0 ? nil : DeflateSettings()
        let whole = judge([answer], offered, deflate)
        let cut = judge(answer.cut(by: input[1]), offered, deflate)
        try expectSame(whole, cut, "the cutting changes the verdict")
        guard case .accepted(let headBytes, let subprotocol, let agreed) = whole else { return }
        try expect(headBytes <= ClientHandshake.maxHeadBytes, "a head past the limit was accepted")
        try expect(agreed == nil || deflate != nil, "compression that was not offered")
        if let agreed { try HTTPRules.check(agreed) }
        try expect(subprotocol.map(offered.contains) ?? true, "a subprotocol that was not offered")
        let head = Array(answer.prefix(headBytes)).text
        try expect(head.hasPrefix("HTTP/1.1 101") && head.hasSuffix("\r\n\r\n"), "what was accepted is no head")
        try expect(head.contains("ICX+Yqv66kxgM0FcWaLWlFLwTAI="), "accepted without the key's answer")
    }

    private static func judge(_ pieces: [[UInt8]], _ offered: [String], _ deflate: DeflateSettings?) -> Verdict {
        var handshake = ClientHandshake(
            host: "localhost", path: "/", subprotocols: offered, deflate: deflate, nonce: Array(repeating: 0, count: 16)
        )
        var fed = 0
        for piece in pieces {
            do throws(HandshakeError) {
                if let count = try handshake.receive(piece.span) {
                    return .accepted(
                        headBytes: fed + count, subprotocol: handshake.subprotocol, deflate: handshake.deflate)
                }
            } catch .refused(let status, _, _) {
                return .refused(status: status)
            } catch {
                return .wrong(error)
            }
            fed += piece.count
        }
        return .waits
    }
}
