public import Reactions

/// The optional body of an add or a toggle over HTTP: `{"data":…,"count":…}` (PROTOCOL.md section 10).
public struct ReactionBody: Sendable, Equatable {
    /// What to keep with the reaction.
    public var data: ReactionData?
    /// How many, 1...1,000.
    public var count: Int?

    /// Makes a body.
    public init(data: ReactionData? = nil, count: Int? = nil) {
        self.data = data
        self.count = count
    }

    /// Reads a body as a request is read; one without any bytes says nothing.
    ///
    /// - Parameter body: The bytes, which need not be UTF-8.
    /// - Returns: What the body says; fields that it does not have are ignored.
    /// - Throws: ``BadRequest`` without an id.
    public static func decode(_ body: Span<UInt8>) throws(BadRequest) -> ReactionBody {
        guard !body.isEmpty else { return ReactionBody() }
        let fields = try Members.body(body)
        return ReactionBody(data: try fields.data(body), count: try fields.count(body))
    }
}

/// The body of a set over HTTP: `{"reactions":[…]}` (PROTOCOL.md section 10).
public struct ReactionsBody: Sendable, Equatable {
    /// The reactions, as sent, in their order; those written alike once.
    public var reactions: [String]

    /// Makes a body.
    public init(reactions: [String]) {
        self.reactions = reactions
    }

    /// Reads a body as a request is read.
    ///
    /// - Parameter body: The bytes, which need not be UTF-8.
    /// - Returns: The reactions, which may be none.
    /// - Throws: ``BadRequest`` without an id.
    public static func decode(_ body: Span<UInt8>) throws(BadRequest) -> ReactionsBody {
        ReactionsBody(reactions: try Members.body(body).reactions(body))
    }
}

/// The body of an error over HTTP: `{"code":…,"message":…}`.
public struct ErrorBody: Sendable, Equatable {
    /// What went wrong; it decides the status too.
    public var code: ErrorCode
    /// The same in words for a person.
    public var message: String

    /// Makes a body.
    public init(code: ErrorCode, message: String) {
        self.code = code
        self.message = message
    }

    /// Appends the body as one JSON object.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(json: #"{"code":"#)
        bytes.append(string: code.rawValue)
        bytes.member(#","message":"#, message)
        bytes.close()
    }
}

/// The answer to a revocation over HTTP: `{"user":…,"revoked_before":…}`.
public struct RevocationBody: Sendable, Equatable {
    /// Who was revoked.
    public var user: String
    /// The moment up to which all that was issued is worth nothing, in Unix milliseconds.
    public var revokedBefore: Int64

    /// Makes a body.
    public init(user: String, revokedBefore: Int64) {
        self.user = user
        self.revokedBefore = revokedBefore
    }

    /// Appends the body as one JSON object.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(json: #"{"user":"#)
        bytes.append(string: user)
        bytes.member(#","revoked_before":"#, revokedBefore)
        bytes.close()
    }
}

/// One message's reactions over HTTP: a SUMMARY plus `channel`, `epoch` and `seq`.
public struct MessageDocument: Sendable, Equatable {
    /// The channel.
    public var channel: String
    /// The life of the channel's counter.
    public var epoch: String
    /// The channel's counter.
    public var seq: UInt64
    /// The reactions; a bare message's have no groups.
    public var summary: Summary
    /// Whether the policy is `multiple`: `own_counts` goes with `own`.
    public var isCounted: Bool

    /// Makes a document.
    public init(channel: String, epoch: String, seq: UInt64, summary: Summary, isCounted: Bool) {
        self.channel = channel
        self.epoch = epoch
        self.seq = seq
        self.summary = summary
        self.isCounted = isCounted
    }

    /// Appends the document as one JSON object.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(json: #"{"channel":"#)
        bytes.append(string: channel)
        bytes.member(#","epoch":"#, epoch)
        bytes.member(#","seq":"#, seq)
        bytes.member(#","message":"#, summary.message)
        bytes.members(after: summary, isCounted: isCounted)
        bytes.close()
    }
}

extension Members {
    /// Reads the object that a body is, with all that is said about a request as a whole.
    fileprivate static func body(_ body: Span<UInt8>) throws(BadRequest) -> Members {
        guard (try? UTF8Span(validating: body)) != nil else { throw BadRequest(NotJSON()) }
        let fields = try Members(body, maxDepth: Request.maxDepth, watchesNames: true)
        try fields.checkWhole()
        return fields
    }
}
