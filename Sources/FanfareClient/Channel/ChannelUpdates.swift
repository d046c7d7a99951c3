/// What happens in one channel, in order; made by ``ReactionClient/events(in:mode:messages:occupancy:)``.
///
/// It ends when the client is closed, and throws a ``ClientError`` when the broker refuses the subscription or the
/// client does not come back. One reader only. Up to 4,096 updates wait for a slow one; past that they are merged into one
/// ``ChannelUpdate/snapshot(_:)`` of the state then, with the reason `coalesced`: single events are lost, and what was
/// in bursts, never the right counts. Ending the loop, or cancelling its task, ends the subscription.
public struct ChannelUpdates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = ChannelUpdate
    /// Why there are no more.
    public typealias Failure = ClientError

    let buffer: UpdateBuffer

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer)
    }

    /// The reader of a ``ChannelUpdates``.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: UpdateBuffer
        private var batch: ArraySlice<ChannelUpdate> = []

        init(buffer: UpdateBuffer) {
            self.buffer = buffer
        }

        /// Waits for the next update; `nil` at the end.
        public mutating func next() async throws(ClientError) -> ChannelUpdate? {
            if batch.isEmpty { batch = try await buffer.takeBatch()[...] }
            return batch.popFirst()
        }

        /// Waits for the next update, on the caller's executor; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> ChannelUpdate? {
            if batch.isEmpty { batch = try await buffer.takeBatch()[...] }
            return batch.popFirst()
        }
    }
}
