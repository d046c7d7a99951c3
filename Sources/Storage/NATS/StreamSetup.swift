import Locks

/// Makes the streams that are not there, and finds out since when they are.
struct StreamSetup {
    private let link: NATSLink
    private let subjects: NATSSubjects
    private let replicas: Int

    init(_ settings: NATSSettings, _ subjects: NATSSubjects, _ link: NATSLink) {
        self.link = link
        self.subjects = subjects
        replicas = settings.replicaCount
    }

    /// The life of the log: another one when any of its streams was made anew.
    func epoch() throws(StoreError) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (partition, stream) in subjects.logs.enumerated() {
            let source = subjects.entries(inPartition: partition)
            let told = #""republish":{"src":"\#(source)","dest":"\#(subjects.told)"}"#
            let created = try make(
                stream, subjects: source,
                #""discard":"new","max_msgs_per_subject":-1,"duplicate_window":120000000000,\#(told)"#, mustHave: told)
            for byte in created.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
        _ = try make(
            subjects.state, subjects: subjects.allState, #""discard":"old","max_msgs_per_subject":1"#, mustHave: "")
        return "n" + String(hash, radix: 36)
    }

    /// Makes a stream where it is missing; answers when it was made.
    private func make(
        _ stream: String, subjects: String, _ more: String, mustHave: String
    ) throws(StoreError) -> String {
        let wanted = """
            {"name":"\(stream)","subjects":["\(subjects)"],"storage":"file","retention":"limits","max_age":0,\
            "num_replicas":\(replicas),"allow_direct":true,\(more)}
            """
        var answer = try ask("STREAM.CREATE.\(stream)", wanted)
        // It is there, with other settings: they may have been changed, as long as it tells what it takes.
        if answer.errorCode == 10058 { answer = try ask("STREAM.INFO.\(stream)", "") }
        if answer.errorCode != nil { throw .unavailable("the stream '\(stream)': \(answer.errorWords)") }
        guard mustHave.isEmpty || answer.contains(mustHave) else {
            throw .unusable("the stream '\(stream)' was not made for this: it does not republish by channel")
        }
        // One that was just made has no leader for a moment.
        _ = try ask("STREAM.MSG.GET.\(stream)", #"{"seq":1}"#)
        guard let created = answer.created else { throw .unusable("the stream '\(stream)' does not say how old it is") }
        return created
    }

    private func ask(_ what: String, _ body: String) throws(StoreError) -> StreamAnswer {
        switch link.wait(for: "$JS.API.\(what)", Array(body.utf8)) {
        case .reply(let bytes, _, _): return StreamAnswer(bytes)
        case .nobody: throw .unavailable("JetStream is not there, or not yet")
        case .notSent: throw .unavailable("there is no connection to a NATS server")
        case .none: throw .unavailable("JetStream does not answer")
        }
    }
}

extension NATSLink {
    /// Asks and waits for the answer; never on an event loop.
    func wait(for subject: String, _ bytes: [UInt8], headers: [(String, String)] = []) -> NATSAnswer {
        let answer = Locked(NATSAnswer.none)
        let done = Semaphore()
        ask(subject, bytes, headers: headers) { given in
            answer.withLock { $0 = given }
            done.signal()
        }
        done.wait()
        return answer.withLock { $0 }
    }
}
