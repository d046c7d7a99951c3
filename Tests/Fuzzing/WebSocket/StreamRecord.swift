import WebSocket

/// A stream, and what another implementation made of it; `Tests/Differential/streams.py` tells the form.
struct StreamRecord {
    /// How the other one left the connection.
    enum End: UInt8 {
        case open, closed, failed
        /// The stream ends in a header that may be refused as far as it is there.
        case openOrFailed
    }

    let role: WebSocketRole
    let limit: Int
    let stream: [UInt8]
    let end: End
    /// The codes that a close frame, where one is due, may have; 1005: none.
    let codes: [UInt16]
    let events: [Event]

    /// Reads a record without its length; `nil`: it has another form.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(rest: bytes)
        guard let role = reader.number(1), let limit = reader.number(4), let stream = reader.bytes(),
            let end = reader.number(1).flatMap({ End(rawValue: UInt8($0)) }), let codeCount = reader.number(1)
        else { return nil }
        self.role = role == 0 ? .server : .client
        self.limit = limit
        self.stream = stream
        self.end = end
        var codes: [UInt16] = []
        for _ in 0..<codeCount {
            guard let code = reader.number(2) else { return nil }
            codes.append(UInt16(code))
        }
        self.codes = codes
        guard let events = reader.events(), reader.rest.isEmpty else { return nil }
        self.events = events
    }
}

/// Takes numbers, the least byte first, and bytes off the front.
private struct ByteReader {
    var rest: ArraySlice<UInt8>

    mutating func number(_ byteCount: Int) -> Int? {
        guard rest.count >= byteCount else { return nil }
        let number = rest.prefix(byteCount).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(byteCount)
        return number
    }

    mutating func bytes() -> [UInt8]? {
        guard let count = number(4), rest.count >= count else { return nil }
        let bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return bytes
    }

    mutating func events() -> [Event]? {
        guard let count = number(2) else { return nil }
        var events: [Event] = []
        for _ in 0..<count {
            guard let opcode = number(1), let data = bytes() else { return nil }
            switch opcode {
            case 1: events.append(.text(data))
            case 2: events.append(.binary(data))
            case 9: events.append(.ping(data))
            case 10: events.append(.pong(data))
            default: return nil
            }
        }
        return events
    }
}
