import WebSocket

/// A reader of frames by the plainest means (RFC 6455 section 5), which has the whole stream before it.
struct PlainReader {
    private(set) var events: [Event] = []
    /// The close code with which the stream fails; `nil`: it does not, as far as it goes.
    private(set) var failure: UInt16?
    /// Whether the stream ends in the payload of a frame, which nothing is said about here.
    private(set) var isInsideFrame = false

    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private var rest: ArraySlice<UInt8>
    private var isClosed = false
    private var kind: UInt8?
    private var message: [UInt8] = []
    private var fragments = 0

    init(_ stream: [UInt8], _ role: WebSocketRole, _ limits: WebSocketLimits) {
        self.role = role
        self.limits = limits
        rest = stream[...]
    }

    mutating func readAll() {
        while failure == nil && !isClosed {
            guard let (first, length) = readHeader(), failure == nil else { return }
            guard let payload = readPayload(length) else {
                isInsideFrame = true
                return
            }
            if first & 8 != 0 { take(control: first & 15, payload) } else { take(first, payload) }
        }
    }

    private mutating func readHeader() -> (first: UInt8, length: Int)? {
        guard rest.count >= 2, let first = rest.first, let second = rest.dropFirst().first else { return nil }
        let short = second & 127
        let isControl = first & 8 != 0
        guard first & 0x70 == 0, [0, 1, 2, 8, 9, 10].contains(first & 15), (second & 128 != 0) == (role == .server),
            !isControl || first & 128 != 0 && short < 126
        else { return fail(1002) }
        rest = rest.dropFirst(2)
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        guard rest.count >= extra else { return nil }
        let wide = rest.prefix(extra).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(extra)
        guard extra == 0 || wide > (extra == 2 ? 125 : 65_535), wide < 1 << 63 else { return fail(1002) }
        guard role == .client || rest.count >= 4 else { return nil }
        let length = extra == 0 ? Int(short) : Int(wide)
        if !isControl {
            guard (first & 15 == 0) == (kind != nil) else { return fail(1002) }
            fragments = kind == nil ? 1 : fragments + 1
            guard fragments <= limits.maxFragments, length <= limits.maxFrameBytes,
                length <= limits.maxMessageBytes - message.count
            else { return fail(1009) }
        }
        return (first, length)
    }

    private mutating func fail(_ code: UInt16) -> (first: UInt8, length: Int)? {
        failure = code
        return nil
    }

    private mutating func readPayload(_ length: Int) -> [UInt8]? {
        let key = role == .server ? Array(rest.prefix(4)) : [0, 0, 0, 0]
        let start = role == .server ? 4 : 0
        guard rest.count - start >= length else { return nil }
        let payload = rest.dropFirst(start).prefix(length).enumerated().map { $1 ^ key[$0 % 4] }
        rest = rest.dropFirst(start + length)
        return payload
    }

    private mutating func take(_ first: UInt8, _ payload: [UInt8]) {
        let opcode = kind ?? first & 15
        message += payload
        kind = opcode
        let isLast = first & 128 != 0
        if opcode == 1 && !Self.mayBecomeText(message, isWhole: isLast) { failure = 1007 }
        guard isLast, failure == nil else { return }
        events.append(opcode == 1 ? .text(message) : .binary(message))
        (kind, message) = (nil, [])
    }

    private mutating func take(control opcode: UInt8, _ payload: [UInt8]) {
        guard opcode == 8 else {
            events.append(opcode == 9 ? .ping(payload) : .pong(payload))
            return
        }
        let code: UInt16? = payload.count < 2 ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1])
        let reason = Array(payload.dropFirst(2))
        let isAllowed = code.map { code in
            [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(Int(code)) }
        }
        if payload.count == 1 || isAllowed == false {
            failure = 1002
        } else if String(validating: reason, as: UTF8.self) == nil {
            failure = 1007
        } else {
            isClosed = true
            events.append(.close(code, reason))
        }
    }

    /// Whether bytes are UTF-8, or can become it by some more bytes.
    private static func mayBecomeText(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        let endings: [[UInt8]] = [
            [], [0x80], [0x80, 0x80], [0x80, 0x80, 0x80], [0xBF], [0xBF, 0x80], [0xBF, 0x80, 0x80],
        ]
        return (isWhole ? [[]] : endings).contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }
}
