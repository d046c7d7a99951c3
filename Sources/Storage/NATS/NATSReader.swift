import Locks

/// Reads one channel once: the snapshot where nothing is known, then each entry up to the last one that the leader has.
final class NATSReader: Sendable {
    private struct State {
        var reading: LogReading
        /// Where the last one stands that there is.
        var last: UInt64 { reading.last?.position ?? 0 }
        /// Where reading began: the newest entry that was known.
        var start: UInt64
        /// What has come of the snapshot.
        var snapshot: [UInt8] = []
        /// How often it began anew, since the snapshot was replaced meanwhile.
        var restarts = 0

        /// Begins after an entry; `nil`: with the snapshot.
        init(after position: UInt64?, restarts: Int = 0) {
            reading = LogReading(position == nil ? .whole : .more)
            start = position ?? 0
            self.restarts = restarts
        }
    }

    private let link: NATSLink
    private let subjects: NATSSubjects
    private let channel: String
    private let subject: String
    private let state: Locked<State>
    private let answer: @Sendable (Result<LogReading, StoreError>) -> Void

    init(
        _ link: NATSLink, _ subjects: NATSSubjects, _ channel: String, after position: UInt64?,
        answer: @escaping @Sendable (Result<LogReading, StoreError>) -> Void
    ) {
        self.link = link
        self.subjects = subjects
        self.channel = channel
        subject = subjects.entries(of: channel)
        state = Locked(State(after: position))
        self.answer = answer
    }

    func begin() {
        if state.withLock({ $0.reading.kind == .whole }) { readHead() } else { readLast() }
    }

    // MARK: The snapshot

    private func readHead() {
        link.askLeader(of: subjects.state, lastOf: subjects.head(of: channel)) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(nil): readLast()
            case .success(let message?):
                guard let head = SnapshotHead(message.bytes) else {
                    return answer(.failure(.unusable("the snapshot of '\(channel)' has no head of ours")))
                }
                readPart(0, of: head)
            }
        }
    }

    private func readPart(_ index: Int, of head: SnapshotHead) {
        guard index < head.parts else {
            state.withLock { state in
                state.reading.snapshot = LogReading.Snapshot(position: head.position, bytes: state.snapshot)
                state.snapshot = []
                state.start = head.position
            }
            return readLast()
        }
        let subject = subjects.part(index, of: channel, at: head.position)
        link.askLeader(of: subjects.state, lastOf: subject) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            // A newer one has taken its place.
            case .success(nil): restart()
            case .success(let message?):
                state.withLock { $0.snapshot += message.bytes }
                readPart(index + 1, of: head)
            }
        }
    }

    /// Begins anew with the newest snapshot.
    private func restart() {
        let isOften = state.withLock { state in
            state = State(after: nil, restarts: state.restarts + 1)
            return state.restarts > 5
        }
        if isOften { answer(.failure(.unavailable("the snapshot of '\(channel)' cannot be read"))) } else { readHead() }
    }

    // MARK: The entries

    private func readLast() {
        link.askLeader(of: subjects.log(of: channel), lastOf: subject) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(let message):
                go(on: message.map { LogEntry(position: $0.sequence, bytes: $0.bytes) })
            }
        }
    }

    /// Goes on to the last entry that there is; `nil`: there is none.
    private func go(on last: LogEntry?) {
        let isLess = state.withLock { state in
            state.reading.last = last
            return state.reading.kind == .more && state.last < state.start
        }
        let next: @Sendable () -> Void = { [self] in
            if isLess { answer(.success(LogReading(.less, last: last))) } else { readEntries() }
        }
        if last == nil { confirmLife(next) } else { next() }
    }

    /// Makes sure that there is nothing since nothing was appended, and not since the stream is another one.
    private func confirmLife(_ next: @escaping @Sendable () -> Void) {
        let stream = subjects.log(of: channel)
        link.ask(
            "$JS.API.STREAM.INFO.\(stream)", [], isAnswer: { !StreamAnswer($0).isOfStreamWithoutLeader }
        ) { [self] reply in
            switch StreamWatch.look(at: stream, whose: subjects.beginning(of: channel), reply) {
            case .well: next()
            case .lost(let reason), .missing(let reason), .replaced(let reason):
                answer(.failure(.unavailable(reason)))
            }
        }
    }

    private func readEntries() {
        let (start, last) = state.withLock { ($0.start, $0.last) }
        EntryWalks.read(link, subjects.log(of: channel), subject, after: start, through: last) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(let entries):
                state.withLock { $0.reading.entries = entries }
                verify()
            }
        }
    }

    /// Makes sure that nothing was let go of between what was known and the last entry that there was.
    private func verify() {
        let (reading, start, last) = state.withLock { ($0.reading, $0.start, $0.last) }
        guard start < last else { return answer(.success(reading)) }
        link.askLeader(of: subjects.state, lastOf: subjects.head(of: channel)) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(let message):
                if let floor = message.flatMap({ SnapshotHead($0.bytes) })?.floor, floor > start + 1 {
                    restart()
                } else {
                    answer(.success(reading))
                }
            }
        }
    }
}

/// A message as a stream's leader has it.
struct StoredMessage: Sendable {
    var sequence: UInt64
    var bytes: [UInt8]
}

extension NATSLink {
    /// Asks a stream's leader for the last message of a subject; `nil`: there is none.
    func askLeader(
        of stream: String, lastOf subject: String,
        answer: @escaping @Sendable (Result<StoredMessage?, StoreError>) -> Void
    ) {
        askLeader(of: stream, #"{"last_by_subj":"\#(subject)"}"#, answer: answer)
    }

    /// Asks a stream's leader for a message; `nil`: there is none.
    func askLeader(
        of stream: String, _ request: String, answer: @escaping @Sendable (Result<StoredMessage?, StoreError>) -> Void
    ) {
        ask(
            "$JS.API.STREAM.MSG.GET.\(stream)", Array(request.utf8), isAnswer: { !StreamAnswer($0).isOfLeaderless }
        ) { reply in
            guard case .reply(let bytes, _, _) = reply else {
                return answer(.failure(.unavailable("the stream '\(stream)' does not answer")))
            }
            let stored = StreamAnswer(bytes)
            switch stored.errorCode {
            case 10037: answer(.success(nil))
            case .some: answer(.failure(.unavailable("the stream '\(stream)': \(stored.errorWords)")))
            case nil:
                guard let sequence = stored.sequence, let data = stored.data else {
                    return answer(.failure(.unavailable("the stream '\(stream)' answers what nobody understands")))
                }
                answer(.success(StoredMessage(sequence: sequence, bytes: data)))
            }
        }
    }
}
