/// What happens in one channel, in order; made by ``ReactionClient/events(in:mode:messages:occupancy:)``.
///
/// It ends when the client is closed; when the broker refuses the subscription, or the client does not come back, its last
/// element is ``ChannelUpdate/ended(_:)``, which says why. It never throws. One reader only. Up to 4,096 updates wait for a slow one; past that they are merged into one
/// ``ChannelUpdate/snapshot(_:)`` of the state then, with the reason `coalesced`: single events are lost, and what was
/// in bursts, never the right counts. Ending the loop, or cancelling its task, ends the subscription.
public struct ChannelUpdates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = ChannelUpdate
    /// Nothing is thrown.
    public typealias Failure = Never

    let buffer: UpdateBuffer
    var client: ReactionClient?

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer, client: client)
    }

    /// The reader of a ``ChannelUpdates``.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: UpdateBuffer
        /// Kept alive for as long as somebody reads.
        private let client: ReactionClient?
        private var batch: ArraySlice<ChannelUpdate> = []

        init(buffer: UpdateBuffer, client: ReactionClient?) {
            self.buffer = buffer
            self.client = client
        }

        /// Waits for the next update; `nil` at the end.
        public mutating func next() async -> ChannelUpdate? {
            if batch.isEmpty { batch = await buffer.takeBatch()[...] }
            return batch.popFirst()
        }

        /// Waits for the next update, on the caller's executor; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ChannelUpdate? {
            if batch.isEmpty { batch = await buffer.takeBatch()[...] }
            return batch.popFirst()
        }
    }
}
