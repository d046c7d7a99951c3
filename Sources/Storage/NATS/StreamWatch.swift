import Locks

/// Asks the streams' leaders every two seconds whether they are there, and whether the streams are still those that the
/// broker began with.
final class StreamWatch: Sendable {
    /// What one look has found.
    enum Look: Sendable, Equatable {
        case well
        /// Something does not answer; for a person.
        case lost(String)
        /// A stream is not there; for a person.
        case missing(String)
        /// A stream is another one than that which the broker began with; for a person.
        case replaced(String)
    }

    /// What looks come to, one after the other.
    struct Findings {
        /// For how many looks in a row a stream has to be missing: a server that starts may not have read it yet.
        static let mostMissing = 5

        private var failed = 0
        private var missing = 0
        private var isLost = false
        private var isReplaced = false

        /// What is to be told after a look.
        mutating func note(_ look: Look) -> LogEvent? {
            missing = if case .missing = look { missing + 1 } else { 0 }
            switch look {
            case .well:
                failed = 0
                guard isLost else { return nil }
                isLost = false
                return .found
            case .lost(let reason): return noteLoss(reason)
            case .missing(let reason):
                return missing < Findings.mostMissing ? noteLoss(reason) : noteReplacement(reason)
            case .replaced(let reason): return noteReplacement(reason)
            }
        }

        /// Whether the next look is to come soon.
        var isDoubtful: Bool { failed > 0 || missing > 0 }

        private mutating func noteLoss(_ reason: String) -> LogEvent? {
            failed += 1
            // Once, a leader may just be elected.
            guard failed > 1, !isLost else { return nil }
            isLost = true
            return .lost(reason)
        }

        private mutating func noteReplacement(_ reason: String) -> LogEvent? {
            guard !isReplaced else { return nil }
            isReplaced = true
            return .replaced(reason)
        }
    }

    /// Milliseconds between two looks, and where the last one found something wrong.
    private static let pause = 2_000
    private static let shortPause = 1_000
    /// Milliseconds between two looks at the servers' clock, where it agrees with this machine's and where it does not.
    ///
    /// Each leaves a message in the place of the one before, and NATS 2.9 notes those as long as there are older ones.
    private static let clockPause = 60_000
    private static let shortClockPause = 10_000
    /// How far clocks are apart that agree, in milliseconds.
    private static let agreement = 5_000

    private struct State {
        /// Whom to tell; `nil`: nobody yet.
        var tell: (@Sendable (LogEvent) -> Void)?
        /// Whether another server's clock may count now.
        var hasOtherClock = false
        var isClosed = false
        /// Whether the streams are on a server that belongs to no cluster.
        var isAlone = false
    }

    private let link: NATSLink
    private let subjects: NATSSubjects
    private let state = Locked(State())
    private let wake = Semaphore()
    private let thread = Locked<StoreThread?>(nil)

    init(_ link: NATSLink, _ subjects: NATSSubjects) throws(StoreError) {
        self.link = link
        self.subjects = subjects
        let thread = try StoreThread { [self] in work() }
        self.thread.withLock { $0 = thread }
    }

    /// Begins to look; `tell` is called on a thread of the watch's own.
    func start(tell: @escaping @Sendable (LogEvent) -> Void) {
        state.withLock { $0.tell = tell }
        wake.signal()
    }

    /// Has it look now; also at the servers' clock, where that may be another one.
    func look(hasOtherClock: Bool = false) {
        if hasOtherClock { state.withLock { $0.hasOtherClock = true } }
        wake.signal()
    }

    /// How long to wait until the next look at the servers' clock, as it stands to that of this machine.
    static func clockPause(_ difference: Int64, unix: Int, now: Int) -> Int {
        let lead = Int64(unix) &- Int64(now) &- difference
        return lead.magnitude <= agreement ? clockPause : shortClockPause
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func work() {
        var findings = Findings()
        let clock = ServerClock(link, subjects)
        var clockIsDue = SystemClock.now
        while true {
            let (tell, isClosed) = state.withLock { ($0.tell, $0.isClosed) }
            if isClosed { return }
            if let tell, let event = findings.note(lookAtAll()) { tell(event) }
            if let tell, !findings.isDoubtful, takeOtherClock() || clockIsDue <= SystemClock.now {
                lookAtClock(clock, &clockIsDue, tell)
            }
            if findings.isDoubtful { rest() } else { wake.wait(milliseconds: StreamWatch.pause) }
        }
    }

    private func lookAtClock(_ clock: ServerClock, _ due: inout Int, _ tell: @Sendable (LogEvent) -> Void) {
        guard let difference = clock.look() else {
            // The next look at the streams comes first.
            due = SystemClock.now
            return
        }
        let now = SystemClock.now
        due = now + StreamWatch.clockPause(difference, unix: SystemClock.unix, now: now)
        tell(.clock(difference))
    }

    private func takeOtherClock() -> Bool {
        state.withLock { state in
            defer { state.hasOtherClock = false }
            return state.hasOtherClock
        }
    }

    /// Leaves NATS some time to mend itself, whatever happens meanwhile.
    private func rest() {
        let end = SystemClock.now + StreamWatch.shortPause
        while !state.withLock({ $0.isClosed }), SystemClock.now < end {
            wake.wait(milliseconds: max(1, end - SystemClock.now))
        }
    }

    private func lookAtAll() -> Look {
        for (stream, beginning) in subjects.beginnings {
            let (answer, isAlone) = info(of: stream)
            let look = StreamWatch.look(at: stream, whose: beginning, answer, isAlone: isAlone)
            if look != .well { return look }
        }
        let (answer, isAlone) = info(of: subjects.state)
        return StreamWatch.look(atState: subjects.state, whose: subjects.allState, answer, isAlone: isAlone)
    }

    /// What a stream's leader tells of it, and whether that is a server alone, as it told last.
    private func info(of stream: String) -> (NATSAnswer, isAlone: Bool) {
        let answer = link.wait(
            for: "$JS.API.STREAM.INFO.\(stream)", [], within: 2_000,
            isAnswer: { !StreamAnswer($0).isOfStreamWithoutLeader })
        let isAlone = state.withLock { state in
            if case .reply(let bytes, _, _) = answer, let isAlone = StreamAnswer(bytes).isOfServerAlone {
                state.isAlone = isAlone
            }
            return state.isAlone
        }
        return (answer, isAlone)
    }

    /// What an answer says of a stream whose subjects are to begin with a text.
    static func look(at stream: String, whose beginning: String, _ answer: NATSAnswer, isAlone: Bool = false) -> Look {
        if let fault = fault(in: stream, answer, isAlone: isAlone) { return fault }
        guard case .reply(let bytes, _, _) = answer, StreamAnswer(bytes).contains("\"\(beginning)") else {
            return .replaced("the stream '\(stream)' was made anew")
        }
        return flaw(in: stream, .log(beginning: beginning), bytes) ?? .well
    }

    /// What an answer says of the stream of snapshots and revocations.
    static func look(atState stream: String, whose subjects: String, _ answer: NATSAnswer, isAlone: Bool) -> Look {
        if let fault = fault(in: stream, answer, isAlone: isAlone) { return fault }
        guard case .reply(let bytes, _, _) = answer else { return .well }
        return flaw(in: stream, .state(subjects: subjects), bytes) ?? .well
    }

    private static func flaw(in stream: String, _ shape: StreamShape, _ answer: [UInt8]) -> Look? {
        shape.flaw(in: StreamAnswer(answer)).map { .lost("the stream '\(stream)' was changed: \($0)") }
    }

    /// Why nobody may answer for a stream; by a server alone there is but one reason.
    ///
    /// Servers 2.9 that write to a full disk may stand still, and so until they are started again.
    static func silence(isAlone: Bool) -> String {
        isAlone
            ? "its server stands still, as one does whose disk is full: give it room, and start it again"
            : "it has no leader, the servers no majority, or a server stands still, as one does whose disk is full"
    }

    /// What is wrong with an answer; `nil`: nothing.
    static func fault(in stream: String, _ answer: NATSAnswer, isAlone: Bool = false) -> Look? {
        switch answer {
        case .notSent: return .lost("there is no connection to a NATS server")
        case .nobody: return .lost("JetStream is not there")
        case .none: return .lost("the stream '\(stream)' does not answer: \(silence(isAlone: isAlone))")
        case .reply(let bytes, _, _):
            let answer = StreamAnswer(bytes)
            if answer.errorCode == StreamAnswer.noStream { return .missing("the stream '\(stream)' is not there") }
            if answer.isOfStreamWithoutLeader { return .lost("the stream '\(stream)' has no leader") }
            return answer.errorCode.map { _ in .lost("the stream '\(stream)': \(answer.errorWords)") }
        }
    }
}
