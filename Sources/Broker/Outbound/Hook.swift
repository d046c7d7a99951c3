import Transport

/// A server that is asked whether something may be done, with what it has answered lately.
///
/// All hubs share it; a lock is held for one look. New settings begin with an empty cache.
public final class Hook: Sendable, Equatable {
    /// Who is asked.
    public let endpoint: Endpoint
    /// Whether what is asked is allowed when there is no usable answer.
    public let isAllowedWhenDown: Bool
    /// The longest time for which an answer is taken again, in milliseconds, whatever it says itself.
    public let maxCacheMilliseconds: Int
    private let state = Locked(State())

    /// After how many failures in a row the server counts as down.
    static let failuresUntilDown = 5
    /// How long a server that counts as down is left alone between two requests, in milliseconds.
    static let restMilliseconds: Int64 = 1_000
    /// The most answers that are kept.
    static let maxCached = 10_000

    fileprivate struct Cached {
        var verdict: HookVerdict
        var until: Int64
    }

    fileprivate struct State {
        var cache: [HookQuestion.Key: Cached] = [:]
        var failures = 0
        /// When the server may be asked again, in milliseconds of the clock.
        var nextTry: Int64 = 0
    }

    /// Makes a hook.
    public init(endpoint: Endpoint, isAllowedWhenDown: Bool, maxCacheMilliseconds: Int) {
        self.endpoint = endpoint
        self.isAllowedWhenDown = isAllowedWhenDown
        self.maxCacheMilliseconds = maxCacheMilliseconds
    }

    /// Compares what was set.
    public static func == (one: Hook, other: Hook) -> Bool {
        one === other
            || one.endpoint == other.endpoint && one.isAllowedWhenDown == other.isAllowedWhenDown
                && one.maxCacheMilliseconds == other.maxCacheMilliseconds
    }

    /// What is known without asking.
    enum Known: Equatable {
        /// The server has answered this lately.
        case cached(HookVerdict)
        /// The server must be asked.
        case nothing
        /// The server is down, and is not asked now.
        case down
    }

    /// Looks whether the server must be asked; `clock` in milliseconds of a clock that is never set.
    func known(_ key: HookQuestion.Key, clock: Int64) -> Known {
        state.withLock { state in
            if let cached = state.cache[key], clock < cached.until { return .cached(cached.verdict) }
            guard state.failures >= Self.failuresUntilDown else { return .nothing }
            guard clock >= state.nextTry else { return .down }
            state.nextTry = clock + Self.restMilliseconds
            return .nothing
        }
    }

    /// Takes what the server answered to a question, `nil` where that is of no use, and says what follows from it.
    func take(_ answer: HookAnswer?, to key: HookQuestion.Key, clock: Int64) -> HookVerdict {
        state.withLock { state in
            guard let answer else {
                state.failures = min(state.failures + 1, Self.failuresUntilDown)
                state.nextTry = clock + Self.restMilliseconds
                return whenDown
            }
            state.failures = 0
            let lives = min(answer.cacheMilliseconds, Int64(maxCacheMilliseconds))
            if lives > 0 { state.keep(Cached(verdict: answer.verdict, until: clock + lives), key, clock) }
            return answer.verdict
        }
    }

    /// What follows where there is no answer.
    var whenDown: HookVerdict { isAllowedWhenDown ? .allowed : .unavailable }
}

extension Hook.State {
    /// At the bound what has run out goes, and where that is nothing, all.
    fileprivate mutating func keep(_ cached: Hook.Cached, _ key: HookQuestion.Key, _ clock: Int64) {
        if cache.count >= Hook.maxCached, cache[key] == nil {
            cache = cache.filter { $0.value.until > clock }
            if cache.count >= Hook.maxCached { cache = [:] }
        }
        cache[key] = cached
    }
}

/// What becomes of something that a hook was asked about.
enum HookVerdict: Sendable, Equatable {
    case allowed
    /// The server said no; with its reason.
    case denied(String)
    /// Nobody could say.
    case unavailable
}
