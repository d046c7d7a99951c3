/// Whether all servers that are named have one log: of two that are no cluster each would have its own, and brokers would
/// tell one truth or the other by which of them they have reached.
struct ServerAgreement {
    /// What a server says of the log.
    enum Finding: Sendable, Equatable {
        case same
        case other
        /// It says nothing of that now.
        case unknown
    }

    /// How often a server is asked that seems to have another log, since one that has just come to a cluster may not know of
    /// it, and how many milliseconds are between.
    private static let attempts = 10
    private static let pause = 250

    private let settings: NATSSettings
    private let lives: StreamLives

    init(_ settings: NATSSettings, _ lives: StreamLives) {
        self.settings = settings
        self.lives = lives
    }

    /// Refuses servers that have another log, as far as they can be reached now; says what is wrong with others.
    func confirm() throws(StoreError) -> [String] {
        guard settings.servers.count > 1 else { return [] }
        var remarks: [String] = []
        for server in settings.servers {
            var alone = settings
            alone.servers = [server]
            do throws(StoreError) {
                let link = try NATSLink(alone) { _ in }
                defer { link.close() }
                guard ask(link) == .other else { continue }
            } catch {
                if case .unusable(let reason) = error {
                    remarks.append("the NATS server at \(alone.places) cannot be used: \(reason)")
                }
                continue
            }
            throw .unusable(
                "the NATS servers at \(settings.places) are no cluster: the one at \(alone.places) has not the log that another one has; name servers of one cluster, or one alone"
            )
        }
        return remarks
    }

    private func ask(_ link: NATSLink) -> Finding {
        let names = StreamNames(settings)
        var finding = Finding.unknown
        for attempt in 1...ServerAgreement.attempts {
            let answer = link.wait(
                for: "$JS.API.STREAM.INFO.\(names.log(0))", [], within: 1_000,
                isAnswer: { !StreamAnswer($0).isOfStreamWithoutLeader })
            finding = ServerAgreement.finding(in: answer, names.logBegin(0) + (lives.logs.first ?? "") + ".")
            if finding != .other { break }
            if attempt < ServerAgreement.attempts { Semaphore().wait(milliseconds: ServerAgreement.pause) }
        }
        return finding
    }

    /// What an answer says of a log whose subjects begin with a text.
    static func finding(in answer: NATSAnswer, _ beginning: String) -> Finding {
        guard case .reply(let bytes, _, _) = answer else { return .unknown }
        let answer = StreamAnswer(bytes)
        if answer.errorCode == StreamAnswer.noStream { return .other }
        guard answer.errorCode == nil else { return .unknown }
        return answer.contains("\"" + beginning) ? .same : .other
    }
}
