/// What a request needs to be allowed (PROTOCOL.md section 2).
public enum Right: String, Sendable, CaseIterable {
    case subscribe, react, query, moderate

    fileprivate var bit: UInt8 {
        switch self {
        case .subscribe: 1
        case .react: 2
        case .query: 4
        case .moderate: 8
        }
    }
}

/// What a token lets its user do in the channels that a pattern names.
public struct Grant: Sendable, Equatable {
    /// A channel's name; a `*` at its end stands for anything.
    public var pattern: String
    /// What may be done there.
    public var rights: Set<Right> { didSet { mask = Grant.mask(rights) } }
    /// The rights as bits: what is asked for every request.
    private var mask: UInt8
    /// The only reactions that may be used there, as the token spells them; `nil`: no narrower than the namespace.
    public var reactions: [String]?

    /// Makes a grant.
    public init(pattern: String, rights: Set<Right>, reactions: [String]? = nil) {
        self.pattern = pattern
        self.rights = rights
        mask = Grant.mask(rights)
        self.reactions = reactions
    }

    private static func mask(_ rights: Set<Right>) -> UInt8 {
        rights.reduce(0) { $0 | $1.bit }
    }

    func covers(_ channel: String) -> Bool {
        guard pattern.utf8.last == UInt8(ascii: "*") else { return channel == pattern }
        return pattern.utf8.count == 1 || channel.utf8.starts(with: pattern.utf8.dropLast())
    }

    func has(_ right: Right) -> Bool { mask & right.bit != 0 }
}

/// Who a connection speaks for, and what it may do.
public struct Identity: Sendable, Equatable {
    // Every connection has one: the order of the properties leaves no gaps.
    /// The user, 1–128 bytes of 0x21–0x7E.
    public var user: String
    /// What it may do; several entries add up.
    public var grants: [Grant]
    /// When the token was issued, in Unix milliseconds; ``neverIssued`` where nothing says so.
    public var issued: Int64
    /// When it runs out, in Unix milliseconds; `nil`: never.
    public var expires: Int64?
    /// Whether a server's key was shown: it may act for anyone.
    public var isServer: Bool

    /// Makes an identity.
    public init(
        user: String, expires: Int64? = nil, isServer: Bool = false, issued: Int64 = Identity.neverIssued,
        grants: [Grant]
    ) {
        self.user = user
        self.expires = expires
        self.isServer = isServer
        self.issued = issued
        self.grants = grants
    }

    /// Before all time: any revocation covers it.
    public static let neverIssued = Int64.min

    /// What a token without a `channels` claim grants: all but moderating, everywhere.
    public static let ordinaryGrants = [Grant(pattern: "*", rights: [.subscribe, .react, .query])]
    /// Everything everywhere.
    public static let moderatorGrants = [Grant(pattern: "*", rights: Set(Right.allCases))]

    func may(_ right: Right, in channel: String) -> Bool {
        grants.contains { $0.has(right) && $0.covers(channel) }
    }

    /// The reactions that may be used in a channel; `nil` where a grant doesn't narrow them.
    func reactions(in channel: String) -> [String]? {
        var allowed: [String] = []
        for grant in grants where grant.has(.react) && grant.covers(channel) {
            guard let reactions = grant.reactions else { return nil }
            allowed += reactions
        }
        return allowed
    }

    /// Whether a text can be a user's name: 1–128 bytes, each 0x21–0x7E.
    public static func isUserName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
