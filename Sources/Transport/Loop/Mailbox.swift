/// Carries values to a loop, in batches: the way to cross from one loop to another.
///
/// What one thread posts arrives in its order. However much is posted before the loop gets to it, the loop is woken
/// once and the receiver is called once, with all of it; posting from the loop itself makes no system call. What is in
/// a mailbox when its loop has stopped is not delivered.
public final class Mailbox<Element: Sendable>: Sendable, MailboxDelivery {
    @usableFromInline
    struct Contents {
        @usableFromInline var pending: [Element] = []
        /// An empty array whose memory is used again.
        @usableFromInline var spare: [Element] = []

        @inlinable init() {}
    }

    /// An array that has grown beyond this many elements is given back after its delivery.
    @usableFromInline static var keptCapacity: Int { 8192 }

    /// Delivers what is in it, by code that whoever made it has for its elements: here that would be slow, as nothing is
    /// known of them.
    @usableFromInline let deliverAll: @Sendable (Mailbox) -> Void
    @usableFromInline let loop: EventLoop
    @usableFromInline let contents: Locked<Contents>
    @usableFromInline let receive: @Sendable ([Element]) -> Void

    /// Makes a mailbox whose batches the closure receives on the loop, in the turn in which the loop finds them.
    @inlinable
    public init(on loop: EventLoop, receive: @escaping @Sendable ([Element]) -> Void) {
        self.loop = loop
        self.receive = receive
        contents = Locked(Contents())
        deliverAll = { $0.takeAll() }
    }

    /// Puts one value in, from any thread.
    @inlinable
    public func post(_ element: Element) {
        let wasEmpty = contents.withLock { contents in
            let wasEmpty = contents.pending.isEmpty
            contents.pending.append(element)
            return wasEmpty
        }
        if wasEmpty { loop.enlist(self) }
    }

    /// Puts several values in, from any thread; nothing comes between them.
    @inlinable
    public func post(contentsOf elements: [Element]) {
        guard !elements.isEmpty else { return }
        let wasEmpty = contents.withLock { contents in
            let wasEmpty = contents.pending.isEmpty
            contents.pending.append(contentsOf: elements)
            return wasEmpty
        }
        if wasEmpty { loop.enlist(self) }
    }

    @usableFromInline
    func deliver() { deliverAll(self) }

    @inlinable
    func takeAll() {
        var batch: [Element] = contents.withLock { contents in
            let batch = contents.pending
            contents.pending = contents.spare
            contents.spare = []
            return batch
        }
        guard !batch.isEmpty else { return }
        receive(batch)
        guard batch.capacity <= Self.keptCapacity else { return }
        batch.removeAll(keepingCapacity: true)
        contents.withLock { contents in contents.spare = batch }
    }
}
