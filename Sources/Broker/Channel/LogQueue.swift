import Reactions
import Wire

/// What waits in a channel for the log, in the order in which it was asked for.
struct LogQueue: Sendable {
    /// Something that was asked for.
    enum Item: Sendable {
        /// An operation, and when it was asked for.
        case operation(ChannelRequest, Operation, at: Int64)
        /// One with the key of an operation ahead of it: what it is shows when that one is done.
        case again(ChannelRequest, Operation)
        /// A request that changes nothing.
        case request(ChannelRequest)
        /// What is known already, and waits for its place.
        case reply(Reply)
    }

    private struct UserKey: Hashable {
        var user: String
        var key: String
    }

    private var items = Waitlist<Item>()
    private var keys: Set<UserKey> = []
    /// About how many bytes the requests take that wait.
    private(set) var bytes = 0

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    var first: Item? { items.first }
    var waiting: ArraySlice<Item> { items.waiting }

    /// Whether an operation with the same key, by the same user, waits.
    func hasKey(of operation: Operation) -> Bool {
        guard let key = operation.key, !keys.isEmpty else { return false }
        return keys.contains(UserKey(user: operation.user, key: key))
    }

    mutating func append(_ item: Item) {
        items.append(item)
        count(item)
    }

    mutating func removeFirst() {
        guard let item = items.first else { return }
        discount(item)
        items.removeFirst()
    }

    /// Puts something else in the place of the first.
    mutating func replaceFirst(with item: Item) {
        guard let old = items.first else { return }
        discount(old)
        items.replaceFirst(with: item)
        count(item)
    }

    /// Puts replies in the place of all operations.
    mutating func answerOperations(_ reply: (ChannelRequest) -> Reply) {
        let old = items.waiting
        self = LogQueue()
        for item in old {
            switch item {
            case .operation(let request, _, _), .again(let request, _): append(.reply(reply(request)))
            case .request, .reply: append(item)
            }
        }
    }

    private mutating func count(_ item: Item) {
        bytes += LogQueue.weight(of: item)
        if case .operation(_, let operation, _) = item, let key = operation.key {
            keys.insert(UserKey(user: operation.user, key: key))
        }
    }

    private mutating func discount(_ item: Item) {
        bytes -= LogQueue.weight(of: item)
        if case .operation(_, let operation, _) = item, let key = operation.key {
            keys.remove(UserKey(user: operation.user, key: key))
        }
    }

    private static func weight(of item: Item) -> Int {
        switch item {
        case .operation(_, let operation, _), .again(_, let operation): ChannelRequest.baseWeight + operation.maxBytes
        case .request(let request): request.weight
        case .reply: 0
        }
    }
}

extension ChannelRequest {
    /// What a request takes in memory besides its texts, in bytes.
    static let baseWeight = 256

    /// About how many bytes it takes in memory.
    var weight: Int {
        let texts =
            switch body {
            case .operation(let operation): operation.maxBytes
            case .subscribe(let subscribe): ChannelRequest.weight(of: subscribe.messages ?? [])
            case .watch(let messages, let newly): ChannelRequest.weight(of: messages) + newly.count * 16
            case .list(.messages(let messages)): ChannelRequest.weight(of: messages)
            case .resynchronize(_, let filter): ChannelRequest.weight(of: filter ?? [])
            case .reactors(let message, let reaction, _, let after):
                message.utf8.count + (reaction?.utf8.count ?? 0) + (after?.utf8.count ?? 0)
            case .list(.page(_, let after)): after?.utf8.count ?? 0
            case .unsubscribe, .revoke, .refused, .refusedSubscription: 0
            }
        return ChannelRequest.baseWeight + texts
    }

    private static func weight(of texts: [String]) -> Int {
        texts.reduce(0) { $0 + 16 + $1.utf8.count }
    }
}
