/// What a namespace tells or asks other servers; most have none of it.
///
/// One object, not a value, because a namespace's settings are copied for every request.
public final class OutboundSettings: Sendable, Equatable {
    /// Who is told of changes.
    public let webhook: Webhook?
    /// Who is asked whether someone may subscribe.
    public let subscribeHook: Hook?
    /// Who is asked whether someone may react.
    public let reactHook: Hook?

    /// Makes settings; `nil` where there is nothing in them.
    public init?(webhook: Webhook?, subscribeHook: Hook?, reactHook: Hook?) {
        if webhook == nil, subscribeHook == nil, reactHook == nil { return nil }
        self.webhook = webhook
        self.subscribeHook = subscribeHook
        self.reactHook = reactHook
    }

    /// Compares what was set.
    public static func == (one: OutboundSettings, other: OutboundSettings) -> Bool {
        one === other
            || one.webhook == other.webhook && one.subscribeHook == other.subscribeHook
                && one.reactHook == other.reactHook
    }
}

/// Where a namespace's changes are posted.
public struct Webhook: Sendable, Equatable {
    /// The receiver.
    public var endpoint: Endpoint
    /// The most events of one request.
    public var batch = 100
    /// How long events gather before a request that is not full, in milliseconds.
    public var intervalMilliseconds = 1_000
    /// What the wait between two attempts does not grow past, in milliseconds.
    public var maxRetryMilliseconds = 300_000
    /// How many events may wait before the oldest are dropped; `nil`: as many as there is room for.
    public var maxPending: Int?

    /// Makes a webhook with the defaults.
    public init(endpoint: Endpoint) {
        self.endpoint = endpoint
    }
}
