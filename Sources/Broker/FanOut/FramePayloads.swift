extension Span<UInt8> {
    /// Lends the payload of each frame to `body`; the frames are whole and unmasked, as this broker writes them
    /// (RFC 6455 section 5.2).
    func forEachPayload(_ body: (Span<UInt8>) -> Void) {
        var start = 0
        while count - start >= 2 {
            let (length, header) = frameLength(at: start)
            guard length >= 0, header + length <= count - start else { return }
            body(extracting(start + header..<start + header + length))
            start += header + length
        }
    }

    /// How long the payload and the header of the frame at `start` are, of which two bytes are there; where the rest of
    /// the header is not, the payload is longer than the bytes.
    private func frameLength(at start: Int) -> (payload: Int, header: Int) {
        let short = Int(self[start + 1] & 0x7F)
        guard short >= 126 else { return (short, 2) }
        let header = short == 126 ? 4 : 10
        guard header <= count - start else { return (count, header) }
        return ((start + 2..<start + header).reduce(0) { $0 << 8 | Int(self[$1]) }, header)
    }

    /// Whether a message of the broker has this type, which stands at its beginning.
    func isMessage(ofType type: StaticString) -> Bool {
        let start: StaticString = #"{"type":""#
        return starts(with: start, at: 0) && starts(with: type, at: start.utf8CodeUnitCount)
            && starts(with: "\"", at: start.utf8CodeUnitCount + type.utf8CodeUnitCount)
    }

    private func starts(with literal: StaticString, at start: Int) -> Bool {
        literal.withUTF8Buffer { literal in
            guard literal.count <= count - start else { return false }
            return literal.indices.allSatisfy { unsafe self[start + $0] == literal[$0] }
        }
    }
}
