/// Why a text is no request, or no message of a broker: `bad_request` (PROTOCOL.md section 8).
public struct BadRequest: Error, Sendable, Equatable {
    /// The request's id, where there was a valid one.
    public var id: RequestID?
    /// The channel that the request names, where there was a valid one: the error keeps its place among the channel's
    /// replies.
    public var channel: String?
    /// What is wrong, in words for a person.
    public var reason: String
    /// Whether the text was not JSON at all, or too deep; the tenth of these within a minute ends a connection.
    public var isMalformed: Bool

    /// Makes the error.
    public init(id: RequestID? = nil, channel: String? = nil, reason: String, isMalformed: Bool = false) {
        self.id = id
        self.channel = channel
        self.reason = reason
        self.isMalformed = isMalformed
    }
}

extension BadRequest {
    init(_ error: NotJSON) {
        self.init(reason: error.isTooDeep ? "nested too deeply" : "not JSON", isMalformed: true)
    }

    init(_ field: Field, _ complaint: StaticString) {
        self.init(reason: "\(field.name): \(complaint)")
    }

    static func missing(_ field: Field) -> BadRequest { BadRequest(field, "missing") }
    static func wrongKind(_ field: Field) -> BadRequest { BadRequest(field, "of the wrong kind") }
    static func outOfRange(_ field: Field) -> BadRequest { BadRequest(field, "out of range") }
}
