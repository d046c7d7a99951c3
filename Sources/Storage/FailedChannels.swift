/// The channels whose last commit failed, which therefore take no other one until they are loaded again.
///
/// A commit that waits behind a failed one was made from a state that never reached the store: to write it would leave a
/// hole. So a failure ends the channel's chain of commits, and only a load, which tells what the store has, starts
/// a new one. A refused commit is a failed one too, for every channel it names.
struct FailedChannels {
    private var names: Set<String> = []

    var isEmpty: Bool { names.isEmpty }

    /// Why a group must be refused; `nil` where all its channels may go on.
    func refusal(of group: [ChannelWrite]) -> StoreError? {
        if names.isEmpty { return nil }
        for write in group where !write.followsFailure && names.contains(write.channel) {
            return .unavailable("an earlier change of channel \(write.channel) could not be kept; load it again")
        }
        return nil
    }

    /// Notes that a group is about to be committed; what follows a failure makes it good.
    mutating func begin(_ group: [ChannelWrite]) {
        if names.isEmpty { return }
        for write in group where write.followsFailure { names.remove(write.channel) }
    }

    /// Notes that a group was not committed.
    mutating func insert(_ group: [ChannelWrite]) {
        for write in group { names.insert(write.channel) }
    }

    /// Notes that a channel was loaded.
    mutating func remove(_ channel: String) {
        if !names.isEmpty { names.remove(channel) }
    }
}
