import Locks

/// Deletes messages of a stream, many on their way at a time; for a thread that may wait.
struct Deletion {
    /// How many requests are under way at most.
    private static let atOnce = 1_000

    private let link: NATSLink
    private let stream: String

    init(_ link: NATSLink, from stream: String) {
        self.link = link
        self.stream = stream
    }

    /// Deletes the messages at some places, those that are there still.
    ///
    /// - Returns: Whether the stream has answered for all of them.
    @discardableResult
    func delete(_ places: [UInt64]) -> Bool {
        var rest = places[...]
        while !rest.isEmpty {
            let some = rest.prefix(Deletion.atOnce)
            rest = rest.dropFirst(some.count)
            guard delete(together: some) else { return false }
        }
        return true
    }

    private func delete(together places: ArraySlice<UInt64>) -> Bool {
        let answered = Answers()
        for place in places {
            // What is erased as well would be written over first.
            let request = #"{"seq":\#(place),"no_erase":true}"#
            link.ask("$JS.API.STREAM.MSG.DELETE.\(stream)", Array(request.utf8)) { answer in
                if case .reply = answer { answered.note(isReply: true) } else { answered.note(isReply: false) }
            }
        }
        return answered.areAllReplies(of: places.count)
    }

    /// Deletes what a subject has before a place, up to so many messages, by asking which one is next.
    func sweep(_ subject: String, before end: UInt64, atMost most: Int) {
        var next: UInt64 = 1
        for _ in 0..<most {
            let request = #"{"seq":\#(next),"next_by_subj":"\#(subject)"}"#
            guard case .success(let message?) = link.waitLeader(of: stream, request), message.sequence < end else {
                return
            }
            guard delete([message.sequence]) else { return }
            next = message.sequence + 1
        }
    }
}

/// Counts answers until all are there.
private final class Answers: Sendable {
    private let replies = Locked(0)
    private let one = Semaphore()

    func note(isReply: Bool) {
        if isReply { replies.withLock { $0 += 1 } }
        one.signal()
    }

    func areAllReplies(of count: Int) -> Bool {
        for _ in 0..<count { one.wait() }
        return replies.withLock { $0 } == count
    }
}

extension NATSLink {
    /// Asks a stream's leader for a message and waits; never on an event loop.
    func waitLeader(of stream: String, _ request: String) -> Result<StoredMessage?, StoreError> {
        let found = Locked<Result<StoredMessage?, StoreError>>(.success(nil))
        let done = Semaphore()
        askLeader(of: stream, request) { result in
            found.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return found.withLock { $0 }
    }
}
