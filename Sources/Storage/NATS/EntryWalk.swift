import Locks

/// Reads the entries of a channel in a part of its log, one after the other, from the leader.
///
/// Any replica would answer a direct get, but one of NATS 2.9 that was the leader and was cut off keeps what it alone had
/// taken, and has that for good where the others have something else.
final class EntryWalk: Sendable {
    private let link: NATSLink
    private let stream: String
    private let subject: String
    private let end: UInt64
    private let entries = Locked<[LogEntry]>([])
    private let answer: @Sendable (Result<[LogEntry], StoreError>) -> Void

    /// Prepares to read what stands behind a place, up to another one, which is known to be a channel's entry or to have
    /// one behind it.
    init(
        _ link: NATSLink, _ stream: String, _ subject: String, through end: UInt64,
        answer: @escaping @Sendable (Result<[LogEntry], StoreError>) -> Void
    ) {
        self.link = link
        self.stream = stream
        self.subject = subject
        self.end = end
        self.answer = answer
    }

    /// Reads what stands behind a place.
    func read(after place: UInt64) {
        guard place < end else { return answer(.success(entries.withLock { $0 })) }
        link.askLeader(of: stream, #"{"seq":\#(place + 1),"next_by_subj":"\#(subject)"}"#) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(nil): answer(.failure(.unavailable("the log changed while it was read")))
            case .success(let message?):
                take(LogEntry(position: message.sequence, bytes: message.bytes), after: place)
            }
        }
    }

    private func take(_ entry: LogEntry, after place: UInt64) {
        if entry.position <= end { entries.withLock { $0.append(entry) } }
        read(after: max(entry.position, place + 1))
    }
}

/// Reads a long part of a channel's log by several walks at once, since each entry takes a round trip.
final class EntryWalks: Sendable {
    private struct State {
        var found: [[LogEntry]?]
        var isAnswered = false
    }

    /// How many walks there are at most, and how far each goes at least.
    private static let most: UInt64 = 16
    private static let shortest: UInt64 = 64

    private let state: Locked<State>
    private let answer: @Sendable (Result<[LogEntry], StoreError>) -> Void

    private init(_ count: Int, answer: @escaping @Sendable (Result<[LogEntry], StoreError>) -> Void) {
        state = Locked(State(found: Array(repeating: nil, count: count)))
        self.answer = answer
    }

    /// Reads what stands behind a place, through the last one that there is.
    static func read(
        _ link: NATSLink, _ stream: String, _ subject: String, after place: UInt64, through last: UInt64,
        answer: @escaping @Sendable (Result<[LogEntry], StoreError>) -> Void
    ) {
        let ends = ends(after: place, through: last)
        let walks = EntryWalks(ends.count, answer: answer)
        var start = place
        for (index, end) in ends.enumerated() {
            EntryWalk(link, stream, subject, through: end) { walks.take($0, of: index) }.read(after: start)
            start = end
        }
    }

    /// Where each walk ends.
    static func ends(after place: UInt64, through last: UInt64) -> [UInt64] {
        guard place < last else { return [last] }
        let length = last - place
        let count = max(1, min(most, length / shortest))
        return (1...count).map { $0 == count ? last : place + length / count * $0 }
    }

    private func take(_ result: Result<[LogEntry], StoreError>, of index: Int) {
        let outcome = state.withLock { state -> Result<[LogEntry], StoreError>? in
            guard !state.isAnswered else { return nil }
            switch result {
            case .failure(let error):
                state.isAnswered = true
                return .failure(error)
            case .success(let entries):
                state.found[index] = entries
                guard !state.found.contains(where: { $0 == nil }) else { return nil }
                state.isAnswered = true
                return .success(state.found.flatMap { $0 ?? [] })
            }
        }
        if let outcome { answer(outcome) }
    }
}
