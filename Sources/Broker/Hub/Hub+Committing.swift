// What was told before it is committed.
extension Hub {
    /// Calls `done`, on the loop, when the store has committed all that was changed here.
    func whenCommitted(_ done: @escaping @Sendable () -> Void) {
        whenAllIsCommitted = done
    }

    /// A channel may keep what it has to itself after a failure, for a moment.
    func reportIfCommitted() {
        guard let done = whenAllIsCommitted, !isCommitting, writes.isEmpty,
            !residents.values.contains(where: { resident in resident.channel.onLoop { $0.hasUncommitted } })
        else { return }
        whenAllIsCommitted = nil
        done()
    }
}
