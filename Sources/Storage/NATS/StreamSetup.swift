import Locks

/// Which lives of the log's streams a broker began with.
///
/// Each is named once, when its stream is made, and is part of its subjects and of those of its snapshots. So what belongs
/// to one life can neither be written to another nor be read from it.
struct StreamLives: Sendable, Equatable {
    /// The lives of the log's streams, by partition.
    var logs: [String]

    /// Names the life of all counters: another one when any stream was made anew.
    var epoch: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in logs.joined(separator: ".").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return "n" + String(hash, radix: 36)
    }

    /// A name for a stream that is made now.
    static var fresh: String { String(UInt64.random(in: .min ... .max), radix: 36) }
}

/// Makes the streams that are not there, and finds out which lives they have.
///
/// A stream of the log is made by one broker at a time: of two that differ in their lives, a cluster might take some of
/// one and some of the other.
struct StreamSetup {
    /// Names this process among those that make streams.
    private static let maker = StreamLives.fresh
    /// For how long one broker has the others wait that makes streams, in milliseconds.
    private static let makingTime = 15_000
    /// The claim of another broker that was seen last, and since when: clocks of machines may differ.
    private static let seen = Locked((claim: UInt64(0), since: 0))

    private let link: NATSLink
    private let settings: NATSSettings
    private let names: StreamNames

    init(_ settings: NATSSettings, _ link: NATSLink) {
        self.link = link
        self.settings = settings
        names = StreamNames(settings)
    }

    /// The lives of all streams, which are there then.
    func lives() throws(StoreError) -> StreamLives {
        try findState()
        var (logs, isMaker): ([String], Bool) = ([], false)
        for partition in names.partitions {
            var answer = try ask("STREAM.INFO.\(names.log(partition))", "")
            if answer.errorCode == StreamAnswer.noStream {
                if !isMaker { try claimMaking() }
                isMaker = true
                answer = try ask("STREAM.INFO.\(names.log(partition))", "")
                if answer.errorCode == StreamAnswer.noStream { answer = try makeLog(partition) }
            }
            logs.append(try life(ofLog: partition, answer))
        }
        if isMaker { try put("0 \(StreamSetup.maker)", as: names.maker) }
        return StreamLives(logs: logs)
    }

    // MARK: The log

    private func makeLog(_ partition: Int) throws(StoreError) -> StreamAnswer {
        let fresh = StreamLives.fresh
        let source = names.logBegin(partition) + fresh + ".*"
        return try make(
            names.log(partition), source,
            #""discard":"new","max_msgs_per_subject":-1,"#
                + #""description":"\#(names.description)","#
                + #""republish":{"src":"\#(source)","dest":"\#(names.told(in: fresh))"}"#)
    }

    private func life(ofLog partition: Int, _ answer: StreamAnswer) throws(StoreError) -> String {
        let stream = names.log(partition)
        if let code = answer.errorCode { throw StreamSetup.fault(stream, code, answer.errorWords) }
        if let made = names.partitionCount(in: answer), made != names.partitions.count {
            throw .unusable(
                "the log '\(settings.name)' was made with \(made) partitions, and 'nats.partitions' is \(names.partitions.count): it is the same on all brokers, for the whole life of the log"
            )
        }
        guard names.partitionCount(in: answer) != nil, answer.contains(#""republish":{"src""#),
            let life = answer.text(between: "\"" + names.logBegin(partition), and: ".")
        else { throw .unusable("the stream '\(stream)' was not made for this, or by another version of Fanfare") }
        try confirm(stream, .log(beginning: names.logBegin(partition) + life + "."), answer)
        return life
    }

    /// Makes sure that a stream keeps what it acknowledges, and has a leader, which one that was just made has not for a
    /// moment, and none has without a majority.
    private func confirm(_ stream: String, _ shape: StreamShape, _ answer: StreamAnswer) throws(StoreError) {
        if let flaw = shape.flaw(in: answer) {
            throw .unusable("the stream '\(stream)' is not set as it has to be: \(flaw)")
        }
        _ = try ask("STREAM.MSG.GET.\(stream)", #"{"seq":1}"#)
    }

    /// What is to be said of the streams, for a person; nothing where they do not answer.
    func remarks() -> [String] {
        (names.logs + [names.state]).flatMap { stream in
            guard let answer = try? ask("STREAM.INFO.\(stream)", "") else { return [] as [String] }
            return StreamShape.remarks(on: stream, answer, replicas: settings.replicaCount)
        }
    }

    private func make(_ stream: String, _ subjects: String, _ more: String) throws(StoreError) -> StreamAnswer {
        try ask(
            "STREAM.CREATE.\(stream)",
            """
            {"name":"\(stream)","subjects":["\(subjects)"],"storage":"file","retention":"limits","max_age":0,\
            "num_replicas":\(settings.replicaCount),\(more)}
            """)
    }

    // MARK: The state

    /// Makes the stream of snapshots and revocations where it is missing, the same whoever makes it.
    private func findState() throws(StoreError) {
        var answer = try ask("STREAM.INFO.\(names.state)", "")
        if answer.errorCode == StreamAnswer.noStream {
            try confirmBeginning()
            answer = try make(names.state, names.allState, #""discard":"old","max_msgs_per_subject":1"#)
            if answer.errorCode == 10058 { answer = try ask("STREAM.INFO.\(names.state)", "") }
        }
        if let code = answer.errorCode { throw StreamSetup.fault(names.state, code, answer.errorWords) }
        try confirm(names.state, .state(subjects: names.allState), answer)
    }

    /// Makes sure that there is no log yet: one whose snapshots are gone may have no entries for what was in them.
    private func confirmBeginning() throws(StoreError) {
        for partition in names.partitions {
            let answer = try ask("STREAM.INFO.\(names.log(partition))", "")
            if answer.errorCode == StreamAnswer.noStream { continue }
            if let code = answer.errorCode { throw StreamSetup.fault(names.log(partition), code, answer.errorWords) }
            throw .unavailable(
                "the stream '\(names.state)' is missing, and the log that goes with it is there: bring it back (nats stream restore), or delete the streams '\(settings.name)-log-…' as well to begin with nothing"
            )
        }
    }

    /// Has the other brokers wait while this one makes streams.
    private func claimMaking() throws(StoreError) {
        let claim = try last(names.maker)
        let words = claim?.text.split(separator: " ") ?? []
        if words.count == 2, words[1] == StreamSetup.maker { return }
        let isOver = words.first == "0" || claim.map { isOld($0.sequence) } ?? true
        if isOver, try put("1 \(StreamSetup.maker)", as: names.maker, after: claim?.sequence ?? 0) { return }
        throw .unavailable("another broker makes the streams")
    }

    /// Whether a claim has been seen for longer than making streams takes.
    private func isOld(_ claim: UInt64) -> Bool {
        StreamSetup.seen.withLock { seen in
            if seen.claim != claim { seen = (claim, SystemClock.now) }
            return SystemClock.now - seen.since >= StreamSetup.makingTime
        }
    }

    /// The last message of a subject of the state; `nil`: there is none.
    private func last(_ subject: String) throws(StoreError) -> (text: String, sequence: UInt64)? {
        let answer = try ask("STREAM.MSG.GET.\(names.state)", #"{"last_by_subj":"\#(subject)"}"#)
        if answer.errorCode == 10037 { return nil }
        if let code = answer.errorCode { throw StreamSetup.fault(names.state, code, answer.errorWords) }
        guard let sequence = answer.sequence, let data = answer.data else { return nil }
        return (String(decoding: data, as: UTF8.self), sequence)
    }

    /// Puts a text into the state, where the last one of its subject stands at a place; `nil`: wherever.
    @discardableResult
    private func put(_ text: String, as subject: String, after last: UInt64? = nil) throws(StoreError) -> Bool {
        let headers = last.map { [("Nats-Expected-Last-Subject-Sequence", String($0))] } ?? []
        let answer = link.wait(for: subject, Array(text.utf8), headers: headers, within: 2_000)
        if case .reply(let bytes, _, _) = answer, StreamAnswer(bytes).errorCode == StreamAnswer.wrongLast {
            return false
        }
        switch NATSLog.place(answer) {
        case .success: return true
        case .failure(.refused(let reason)): throw .unavailable("the stream '\(names.state)' takes nothing: \(reason)")
        case .failure(.undecided): throw .unavailable("JetStream does not answer")
        }
    }

    /// What does not mend by waiting is told at once.
    private static func fault(_ stream: String, _ code: UInt64, _ words: String) -> StoreError {
        var words = "the stream '\(stream)': \(words)"
        // Too few servers, or one alone.
        if code == 10005 || code == 10074 { words += ": nats.replicas may be no more than there are servers" }
        switch code {
        // Replicas on one server; JetStream is off, or off for this account; no room as it is set up; no such settings;
        // a stream of someone else's takes the same subjects.
        case 10074, 10076, 10039, 10047, 10052, 10065: return .unusable(words)
        default: return .unavailable(words)
        }
    }

    private func ask(_ what: String, _ body: String) throws(StoreError) -> StreamAnswer {
        for attempt in 1...8 {
            let answer = link.wait(
                for: "$JS.API.\(what)", Array(body.utf8), within: 2_000,
                isAnswer: { !StreamAnswer($0).isOfLeaderless && !StreamAnswer($0).isOfStreamWithoutLeader })
            switch answer {
            case .reply(let bytes, _, _): return StreamAnswer(bytes)
            // A server that is just starting has it in a moment.
            case .nobody: if attempt < 8 { Semaphore().wait(milliseconds: 250) }
            case .notSent: throw .unavailable("there is no connection to a NATS server")
            case .none:
                throw .unavailable("JetStream does not answer: \(StreamWatch.silence(isAlone: false))")
            }
        }
        throw .unusable("the NATS server has no JetStream, or this user may not use it ($JS.API.>)")
    }
}

extension NATSLink {
    /// Asks and waits for the answer; never on an event loop.
    func wait(
        for subject: String, _ bytes: [UInt8], headers: [(String, String)] = [], within milliseconds: Int = 5_000,
        isAnswer: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) -> NATSAnswer {
        let answer = Locked(NATSAnswer.none)
        let done = Semaphore()
        ask(subject, bytes, headers: headers, within: milliseconds, isAnswer: isAnswer) { given in
            answer.withLock { $0 = given }
            done.signal()
        }
        done.wait()
        return answer.withLock { $0 }
    }
}
