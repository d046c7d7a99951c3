import Locks

/// Which lives of the streams a broker began with.
///
/// Each is named once, when its stream is made, and is part of its subjects. So what belongs to one life can neither be
/// written to another nor be read from it.
struct StreamLives: Sendable, Equatable {
    /// The lives of the log's streams, by partition.
    var logs: [String]
    /// The life of the stream of snapshots and revocations.
    var state: String

    /// Names the life of all counters: another one when any stream was made anew.
    var epoch: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in (logs + [state]).joined(separator: ".").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return "n" + String(hash, radix: 36)
    }

    /// A name for a stream that is made now.
    static var fresh: String { String(UInt64.random(in: .min ... .max), radix: 36) }
}

/// Makes the streams that are not there, and finds out which lives they have.
struct StreamSetup {
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
        var logs: [String] = []
        for partition in names.partitions {
            logs.append(try life(ofLog: partition))
        }
        let state = try life(
            of: names.state, between: names.stateBegin, and: names.stateEnd,
            #""discard":"old","max_msgs_per_subject":1"#, isOurs: { _ in true })
        return StreamLives(logs: logs, state: state)
    }

    private func life(ofLog partition: Int) throws(StoreError) -> String {
        let (stream, count) = (names.log(partition), names.partitions.count)
        let words = #""description":"\#(names.description(partition))""#
        let told = names.told(partition)
        return try life(
            of: stream, between: names.logBegin(partition), and: names.logEnd,
            #""discard":"new","max_msgs_per_subject":-1,"duplicate_window":120000000000,\#(words)"#,
            republish: (names.logSource(partition), told)
        ) { (answer) throws(StoreError) in
            guard let made = names.partitionCount(in: answer) else { return false }
            guard made == count else {
                throw .unusable(
                    "the log '\(settings.name)' was made with \(made) partitions, and 'nats.partitions' is \(count): it is the same on all brokers, for the whole life of the log"
                )
            }
            return answer.contains(#""republish":{"src""#)
        }
    }

    /// Finds a stream, or makes it where it is missing; answers which life it has.
    private func life(
        of stream: String, between begin: String, and end: String, _ more: String,
        republish: (source: (String) -> String, destination: (String) -> String)? = nil,
        isOurs: (StreamAnswer) throws(StoreError) -> Bool
    ) throws(StoreError) -> String {
        var answer = try ask("STREAM.INFO.\(stream)", "")
        if answer.errorCode == StreamAnswer.noStream {
            let fresh = StreamLives.fresh
            let told = republish.map {
                #","republish":{"src":"\#($0.source(fresh))","dest":"\#($0.destination(fresh))"}"#
            }
            let wanted = """
                {"name":"\(stream)","subjects":["\(begin + fresh + end)"],"storage":"file","retention":"limits",\
                "max_age":0,"num_replicas":\(settings.replicaCount),"allow_direct":true,\(more)\(told ?? "")}
                """
            answer = try ask("STREAM.CREATE.\(stream)", wanted)
            // Another broker was first.
            if answer.errorCode == 10058 { answer = try ask("STREAM.INFO.\(stream)", "") }
        }
        if let code = answer.errorCode { throw StreamSetup.fault(stream, code, answer.errorWords) }
        guard try isOurs(answer), let life = answer.text(between: "\"" + begin, and: ".") else {
            throw .unusable("the stream '\(stream)' was not made for this, or by another version of Fanfare")
        }
        // One that was just made has no leader for a moment.
        _ = try ask("STREAM.MSG.GET.\(stream)", #"{"seq":1}"#)
        return life
    }

    /// What does not mend by waiting is told at once.
    private static func fault(_ stream: String, _ code: UInt64, _ words: String) -> StoreError {
        let words = "the stream '\(stream)': \(words)"
        switch code {
        // Replicas on one server; JetStream is off, or off for this account; no room as it is set up; no such settings;
        // a stream of someone else's takes the same subjects.
        case 10074, 10076, 10039, 10047, 10052, 10065: return .unusable(words)
        default: return .unavailable(words)
        }
    }

    private func ask(_ what: String, _ body: String) throws(StoreError) -> StreamAnswer {
        for attempt in 1...8 {
            switch link.wait(for: "$JS.API.\(what)", Array(body.utf8), within: 2_000) {
            case .reply(let bytes, _, _): return StreamAnswer(bytes)
            // A server that is just starting has it in a moment.
            case .nobody: if attempt < 8 { Semaphore().wait(milliseconds: 250) }
            case .notSent: throw .unavailable("there is no connection to a NATS server")
            case .none: throw .unavailable("JetStream does not answer")
            }
        }
        throw .unusable("the NATS server has no JetStream, or this user may not use it ($JS.API.>)")
    }
}

extension NATSLink {
    /// Asks and waits for the answer; never on an event loop.
    func wait(
        for subject: String, _ bytes: [UInt8], headers: [(String, String)] = [], within milliseconds: Int = 5_000
    ) -> NATSAnswer {
        let answer = Locked(NATSAnswer.none)
        let done = Semaphore()
        ask(subject, bytes, headers: headers, within: milliseconds) { given in
            answer.withLock { $0 = given }
            done.signal()
        }
        done.wait()
        return answer.withLock { $0 }
    }
}
