import Wire

/// A request's outcome in a form that is easy to compare.
func decode(_ text: String) throws(BadRequest) -> Request {
    try decode(Array(text.utf8))
}

func decode(_ bytes: [UInt8]) throws(BadRequest) -> Request {
    try Request.decode(bytes.span)
}

/// The error that a text gives as a request, without its channel, which has a test of its own; `nil`: none.
func refusal(_ bytes: [UInt8]) -> BadRequest? {
    do throws(BadRequest) {
        _ = try decode(bytes)
        return nil
    } catch {
        return BadRequest(id: error.id, reason: error.reason, isMalformed: error.isMalformed)
    }
}

func refusal(_ text: String) -> BadRequest? { refusal(Array(text.utf8)) }

func text(_ message: BrokerMessage) -> String {
    var bytes: [UInt8] = []
    message.append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

func text(_ request: Request) -> String {
    var bytes: [UInt8] = []
    request.append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

func decodeMessage(_ text: String) throws(BadRequest) -> BrokerMessage {
    try BrokerMessage.decode(Array(text.utf8).span)
}

extension RandomNumberGenerator {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Choice>(_ first: Choice, _ others: Choice...) -> Choice {
        ([first] + others).randomElement(using: &self) ?? first
    }

    mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { chance(50) ? make(&self) : nil }

    mutating func several<Value>(_ most: Int, _ make: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: 0...most, using: &self)).map { _ in make(&self) }
    }
}
