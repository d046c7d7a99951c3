import Testing

@testable import WebSocket

/// Bytes that fail a connection, and how.
struct Violation: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var bytes: [UInt8]
    var role: WebSocketRole = .server
    var error: WebSocketError
    var code: UInt16

    init(_ name: String, _ bytes: [UInt8], _ error: WebSocketError, _ code: UInt16, to role: WebSocketRole = .server) {
        (testDescription, self.bytes, self.role, self.error, self.code) = (name, bytes, role, error, code)
    }
}

private let key: [UInt8] = [1, 2, 3, 4]
private let limits = WebSocketLimits(maxFrameBytes: 1_000, maxMessageBytes: 1_500, maxFragments: 4)

private func fragment(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] { Frame(first: first, payload: payload).bytes }
private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

let violations: [Violation] = [
    Violation("RSV1", [0xC1, 0x80] + key, .reservedBits, 1002),
    Violation("RSV2", [0xA1, 0x80] + key, .reservedBits, 1002),
    Violation("RSV3 of a ping", [0x99, 0x80] + key, .reservedBits, 1002),
    Violation("opcode 3", [0x83, 0x80] + key, .reservedOpcode(3), 1002),
    Violation("opcode 7", [0x87, 0x80] + key, .reservedOpcode(7), 1002),
    Violation("opcode 11", [0x8B, 0x80] + key, .reservedOpcode(11), 1002),
    Violation("opcode 15", [0x8F, 0x80] + key, .reservedOpcode(15), 1002),
    Violation("unmasked to a server", [0x81, 0x00], .unmaskedFrame, 1002),
    Violation("unmasked ping to a server", [0x89, 0x00], .unmaskedFrame, 1002),
    Violation("masked to a client", [0x81, 0x80] + key, .maskedFrame, 1002, to: .client),
    Violation("ping not final", [0x09, 0x80] + key, .fragmentedControlFrame, 1002),
    Violation("close not final", [0x08, 0x80] + key, .fragmentedControlFrame, 1002),
    Violation("ping of 126 bytes", [0x89, 0xFE, 0, 126] + key, .controlFrameTooLong, 1002),
    Violation("close of 64-bit length", [0x88, 0xFF], .controlFrameTooLong, 1002),
    Violation("125 bytes in 16 bits", [0x82, 0xFE, 0, 125], .lengthNotMinimal, 1002),
    Violation("0 bytes in 16 bits", [0x82, 0xFE, 0, 0], .lengthNotMinimal, 1002),
    Violation("65,535 bytes in 64 bits", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 255, 255], .lengthNotMinimal, 1002),
    Violation("0 bytes in 64 bits", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0], .lengthNotMinimal, 1002),
    Violation("top bit of the length", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthTopBitSet, 1002),
    Violation("all bits of the length", [0x82, 0xFF] + [UInt8](repeating: 255, count: 8), .lengthTopBitSet, 1002),
    Violation("continuation of nothing", fragment(0x80, [1]), .unexpectedContinuation, 1002),
    Violation("continuation after the end", Frame.text("a").bytes + fragment(0x80, []), .unexpectedContinuation, 1002),
    Violation("text inside a text", fragment(0x01, [65]) + fragment(0x81, [66]), .unfinishedMessage, 1002),
    Violation("binary inside a text", fragment(0x01, []) + fragment(0x02, [66]), .unfinishedMessage, 1002),
    Violation("frame past the limit", [0x82, 0xFE, 0x03, 0xE9] + key, .frameTooLong, 1009),
    Violation(
        "frame of 2^63-1 bytes", [0x82, 0xFF, 0x7F] + [UInt8](repeating: 255, count: 7) + key, .frameTooLong, 1009),
    Violation(
        "message past the limit", fragment(0x02, zeros(1_000)) + [0x80, 0xFE, 0x01, 0xF5] + key, .messageTooLong, 1009),
    Violation(
        "sum that would overflow",
        fragment(0x02, zeros(1_000)) + [0x80, 0xFF, 0x7F] + [UInt8](repeating: 255, count: 7) + key, .frameTooLong, 1009
    ),
    Violation(
        "empty fragments without end", fragment(0x01, []) + (0..<4).flatMap { _ in fragment(0x00, []) },
        .tooManyFragments, 1009),
    Violation("text that is not UTF-8", fragment(0x81, [0xCE, 0xBA, 0xFF]), .invalidUTF8, 1007),
    Violation("text that ends in a character", fragment(0x81, [0x41, 0xE2, 0x82]), .invalidUTF8, 1007),
    Violation("fragments that end in a character", fragment(0x01, [0xE2]) + fragment(0x80, [0x82]), .invalidUTF8, 1007),
    Violation("overlong form", fragment(0x81, [0xC0, 0xAF]), .invalidUTF8, 1007),
    Violation("surrogate", fragment(0x81, [0xED, 0xA0, 0x80]), .invalidUTF8, 1007),
    Violation("past U+10FFFF", fragment(0x81, [0xF4, 0x90, 0x80, 0x80]), .invalidUTF8, 1007),
    Violation("close of one byte", Frame.close([3]).bytes, .truncatedCloseCode, 1002),
    Violation("close reason not UTF-8", Frame.close([0x03, 0xE8, 0xCE, 0xBA, 0xE1]).bytes, .invalidUTF8, 1007),
]

@Suite("Violations (RFC 6455 section 7.1.7)")
struct ViolationTests {
    @Test("Each violation is answered with its close code, whole or byte by byte", arguments: violations)
    func violation(_ violation: Violation) throws {
        for length in [violation.bytes.count, 1, 3] {
            let outcome = exchange(violation.bytes.pieces(of: length), as: violation.role, limits: limits)
            #expect(outcome.failure == violation.error)
            #expect(violation.error.closeCode == violation.code)
            #expect(outcome.state == .closed)
            #expect(outcome.shouldCloseTransport)
            let last = try #require(outcome.frames.last)
            #expect(last.first == 0x88)
            #expect(Array(last.payload.prefix(2)) == [UInt8(violation.code >> 8), UInt8(violation.code & 255)])
            #expect(String(validating: last.payload.dropFirst(2), as: UTF8.self) == violation.error.description)
            #expect(last.payload.count <= 125)
            #expect((last.key == nil) == (violation.role == .server))
        }
    }

    @Test("Nothing after a violation is read or answered", arguments: violations)
    func nothingAfter(_ violation: Violation) {
        let alone = exchange([violation.bytes], as: violation.role, limits: limits)
        let more = (Frame.ping([1]).bytes + Frame.text("late").bytes + Frame.close(1000).bytes)
        let same = exchange([violation.bytes + more], as: violation.role, limits: limits)
        let later = exchange([violation.bytes, more], as: violation.role, limits: limits)
        for outcome in [same, later] {
            #expect(outcome.output == alone.output)
            #expect(outcome.events == alone.events)
            #expect(outcome.failure == violation.error)
        }
    }

    @Test("What came whole before a violation is delivered")
    func messagesBefore() {
        let outcome = exchange([Frame.text("one").bytes + Frame.text("two").bytes + [0x83, 0x80]])
        #expect(outcome.events == [.text("one"), .text("two")])
        #expect(outcome.failure == .reservedOpcode(3))
    }

    @Test("Limits are inclusive")
    func limitsAreInclusive() {
        let bytes = fragment(0x02, zeros(1_000)) + fragment(0x00, zeros(500)) + fragment(0x00, []) + fragment(0x80, [])
        #expect(exchange([bytes], limits: limits).events == [.binary(zeros(1_500))])
        let none = WebSocketLimits(maxFrameBytes: -1, maxMessageBytes: -1, maxFragments: 1)
        #expect(exchange([Frame.text("").bytes], limits: none).events == [.text("")])
        #expect(exchange([Frame.text("a").bytes], limits: none).failure == .frameTooLong)
    }

    @Test("A message too long is refused at its header, before its payload comes")
    func refusedAtHeader() {
        let outcome = exchange([[0x81, 0xFF, 0, 0, 0, 0, 0x10, 0, 0, 0], key, zeros(10)], limits: limits)
        #expect(outcome.failure == .frameTooLong)
        #expect(outcome.piecesBeforeEnd == 2)
    }
}
