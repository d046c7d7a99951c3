/// Work that waits for a loop.
struct Work {
    var jobs: [UnownedJob] = []
    var mailboxes: [any MailboxDelivery] = []
    var closures: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.isEmpty && mailboxes.isEmpty && closures.isEmpty }

    /// Takes over the other's work behind its own; the other keeps its memory for the next time.
    mutating func take(_ other: inout Work) {
        guard !other.isEmpty else { return }
        Self.move(&other.jobs, behind: &jobs)
        Self.move(&other.mailboxes, behind: &mailboxes)
        Self.move(&other.closures, behind: &closures)
    }

    private static func move<Element>(_ source: inout [Element], behind target: inout [Element]) {
        if target.isEmpty {
            swap(&source, &target)
        } else {
            target.append(contentsOf: source)
            source.removeAll(keepingCapacity: true)
        }
    }
}

/// What threads other than the loop's own have put in front of its door.
struct Inbox {
    var work = Work()
    /// The loop waits in the kernel, or is about to: whoever puts something in must wake it, once.
    var isLoopAsleep = false
    var isStopping = false
}

/// A mailbox as its loop sees it.
@usableFromInline
protocol MailboxDelivery: AnyObject, Sendable {
    /// Hands over what is in it; on the loop.
    func deliver()
}
