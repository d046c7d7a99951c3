import HTTP

/// Any answer of a server that a webhook or hook is posted to is read the same however it is cut.
///
/// Input: a byte of options, a seed for the cutting, the answer, after which the connection is closed.
enum ResponseRules {
    private static let maxBodyBytes = 300

    /// What was read, or why it could not be.
    private struct Reading: Equatable {
        var error: String?
        var status: Int?
        var fields: [String] = []
        var body: [UInt8] = []
        var consumed = 0
        var keepsAlive = false
    }

    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let limits =
            input[0] & 1 == 0
            ? HTTPLimits() : HTTPLimits(maxHeadBytes: 300, maxFields: 6, maxTargetBytes: 60)
        let answer = Array(input[2...])
        let whole = read([answer], limits)
        try expectSame(whole, read(answer.cut(by: input[1]), limits), "the cutting changes the answer")
        guard whole.error == nil else { return }
        try expect((200..<600).contains(whole.status ?? 0), "a final answer with status \(whole.status ?? 0)")
        try expect(whole.body.count <= maxBodyBytes, "a body is past the limit")
        try expect(whole.fields.count <= 2 * limits.maxFields, "too many fields")
        try expect(
            whole.fields.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } },
            "a field with control characters")
    }

    private static func read(_ pieces: [[UInt8]], _ limits: HTTPLimits) -> Reading {
        var reader = ResponseReader(limits: limits, maxBodyBytes: maxBodyBytes)
        var reading = Reading()
        do throws(ResponseError) {
            for piece in pieces where !reader.isComplete { reading.consumed += try reader.receive(piece.span) }
            if !reader.isComplete { try reader.end() }
        } catch {
            return Reading(error: error.reason)
        }
        reading.status = reader.head?.status
        reading.fields = (reader.head?.headers.pairs ?? []).flatMap { [$0.name, $0.value] }
        reading.body = reader.body
        reading.keepsAlive = reader.keepsAlive
        return reading
    }
}
