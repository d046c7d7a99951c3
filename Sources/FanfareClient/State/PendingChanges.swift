import Reactions
import Wire

/// The changes of one channel that a person made and the broker has not answered.
///
/// It says in which order they are sent, and which takes the place of which. A pure value.
struct PendingChanges: Sendable {
    /// How many changes may wait.
    static let maxChanges = 1000
    /// The largest `count` of a request.
    static let maxCount = 1000

    private(set) var all: [PendingChange] = []

    /// Those of a message, in order.
    func of(_ message: String) -> [PendingChange] { all.filter { $0.message == message } }

    /// The failed change about a reaction of a message.
    func failed(_ message: String, _ reaction: Reactions.Reaction) -> PendingChange? {
        all.first { $0.isFailed && $0.message == message && $0.touches(reaction) }
    }

    /// The change with a key.
    subscript(key: String) -> PendingChange? { all.first { $0.key == key } }

    /// Changes the change with a key.
    mutating func update(_ key: String, _ body: (inout PendingChange) -> Void) {
        guard let place = all.firstIndex(where: { $0.key == key }) else { return }
        body(&all[place])
    }

    /// Adds a change, which takes the place of those that it makes pointless.
    ///
    /// - Returns: Whether there was room.
    @discardableResult
    mutating func add(_ change: PendingChange, policy: Policy?) -> Bool {
        var change = change
        let isPointless = all.map { $0.isReplaced(by: change, policy: policy) }
        guard isPointless.count(where: { !$0 }) < Self.maxChanges else { return false }
        for (earlier, isPointless) in zip(all, isPointless) where isPointless && !earlier.isFailed {
            change.replaces += [earlier.key] + earlier.replaces
            if policy == .multiple, change.action == .add { change.count = (change.count ?? 1) + (earlier.count ?? 1) }
        }
        all = zip(all, isPointless).filter { !$1 }.map(\.0) + [change]
        return true
    }

    /// Takes out a change that was answered or discarded.
    @discardableResult
    mutating func take(_ key: String) -> PendingChange? {
        guard let place = all.firstIndex(where: { $0.key == key }) else { return nil }
        return all.remove(at: place)
    }

    /// What was on its way has to be sent again; of what was asked for meanwhile only the last counts.
    mutating func interrupt(policy: Policy?) {
        for place in all.indices { all[place].isInFlight = false }
        rebuild(policy: policy)
    }

    /// Adds all of them anew, because the policy or what is on its way has changed.
    mutating func rebuild(policy: Policy?) {
        let list = all
        all = []
        for change in list {
            if change.isFailed || policy == .ephemeral { all.append(change) } else { add(change, policy: policy) }
        }
    }

    /// The changes to send now.
    ///
    /// One of a message waits for the one before it, so that their order is kept; in an ephemeral channel there is none to keep.
    func due(policy: Policy?) -> [PendingChange] {
        var busy: Set<String> = []
        return all.filter { change in
            guard !change.isFailed, !busy.contains(change.message) else { return false }
            if policy != .ephemeral { busy.insert(change.message) }
            return !change.isInFlight
        }
    }
}
