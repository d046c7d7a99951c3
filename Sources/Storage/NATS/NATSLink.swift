import Locks

/// What a server or a stream answers to a request.
enum NATSAnswer: Sendable {
    /// A reply, its status (`404`) where that is all there is, and the place in a stream that it names.
    case reply([UInt8], status: Int?, sequence: UInt64?)
    /// Nobody is there who could answer, so nobody has got it.
    case nobody
    /// There is no connection, so it was not sent.
    case notSent
    /// None came in time.
    case none
}

/// Carries messages from any thread to a connection, by a thread of its own, and answers back.
final class NATSLink: Sendable {
    private enum Command: Sendable {
        case send(subject: String, bytes: [UInt8], headers: [(String, String)], token: UInt64?)
        case subscribe(String, @Sendable (borrowing NATSMessage) -> Void)
        case unsubscribe(String)
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        var isConnected = true
    }

    private struct Waiting {
        var answer: @Sendable (NATSAnswer) -> Void
        /// Whether what came is the answer, and no other one is to be awaited.
        var isAnswer: @Sendable ([UInt8]) -> Bool
        /// How many rounds of the thread it is still awaited.
        var rounds: Int
    }

    private struct Requests {
        var waiting: [UInt64: Waiting] = [:]
        var last: UInt64 = 0
    }

    /// Milliseconds between two looks at what waits for an answer.
    private static let round = 200

    private let state = Locked(State())
    private let requests = Locked(Requests())
    private let wake = Semaphore()
    private let inbox: String
    private let thread = Locked<StoreThread?>(nil)
    /// The longest message that the servers take, in bytes.
    let maxPayload: Int

    /// Connects; `tell` is told what happens to the connection, on threads of the library's.
    init(_ settings: NATSSettings, tell: @escaping @Sendable (NATSConnectionEvent) -> Void) throws(StoreError) {
        inbox = "_INBOX.fanfare-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let sender = try NATSSender(settings, tell: tell)
        maxPayload = sender.maxPayload
        sender.subscribe("\(inbox).*") { [weak self] in self?.receive($0) }
        let thread = try StoreThread { [self] in work(sender) }
        self.thread.withLock { $0 = thread }
    }

    // MARK: From any thread

    /// Whether there was a connection when the thread last looked, at most a fifth of a second ago while it is idle.
    var isConnected: Bool { state.withLock { $0.isConnected && !$0.isClosed } }

    /// Sends something that nobody answers.
    func send(_ bytes: [UInt8], to subject: String) {
        add(.send(subject: subject, bytes: bytes, headers: [], token: nil))
    }

    /// Asks for something; the answer comes once, on a thread of the library's or of the link's.
    ///
    /// What is not `isAnswer` is not heeded, as where several servers answer and one of them knows better.
    func ask(
        _ subject: String, _ bytes: [UInt8], headers: [(String, String)] = [], within milliseconds: Int = 5_000,
        isAnswer: @escaping @Sendable ([UInt8]) -> Bool = { _ in true },
        answer: @escaping @Sendable (NATSAnswer) -> Void
    ) {
        let token = requests.withLock { requests in
            requests.last += 1
            requests.waiting[requests.last] = Waiting(
                answer: answer, isAnswer: isAnswer, rounds: milliseconds / NATSLink.round + 1)
            return requests.last
        }
        if !add(.send(subject: subject, bytes: bytes, headers: headers, token: token)) {
            take(token)?(.notSent)
        }
    }

    /// Has what comes for a subject told until ``unsubscribe(_:)``.
    func subscribe(_ subject: String, _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) {
        add(.subscribe(subject, receive))
    }

    func unsubscribe(_ subject: String) {
        add(.unsubscribe(subject))
    }

    /// Sends what waits and lets go; later requests are answered with ``NATSAnswer/notSent``.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    @discardableResult
    private func add(_ command: Command) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        if isFirst { wake.signal() }
        return isTaken
    }

    // MARK: Answers

    private func take(_ token: UInt64) -> (@Sendable (NATSAnswer) -> Void)? {
        requests.withLock { $0.waiting.removeValue(forKey: token)?.answer }
    }

    private func receive(_ message: borrowing NATSMessage) {
        let subject = message.subject
        let bytes = message.bytes
        guard let token = UInt64(subject.dropFirst(inbox.utf8.count + 1)), isAnswer(bytes, to: token),
            let answer = take(token)
        else { return }
        let status = message.status
        answer(status == 503 ? .nobody : .reply(bytes, status: status, sequence: message.number("Nats-Sequence")))
    }

    private func isAnswer(_ bytes: [UInt8], to token: UInt64) -> Bool {
        requests.withLock { $0.waiting[token]?.isAnswer }?(bytes) ?? false
    }

    private func dropOutlived() {
        let outlived = requests.withLock { requests in
            var outlived: [@Sendable (NATSAnswer) -> Void] = []
            for (token, waiting) in requests.waiting {
                if waiting.rounds > 0 {
                    requests.waiting[token]?.rounds -= 1
                } else {
                    outlived.append(waiting.answer)
                    requests.waiting[token] = nil
                }
            }
            return outlived
        }
        for answer in outlived { answer(.none) }
    }

    // MARK: The thread

    private func work(_ sender: NATSSender) {
        var looked = SystemClock.now
        var commands: [Command] = []
        while true {
            let isConnected = sender.isConnected
            let isClosed = state.withLock { state in
                state.isConnected = isConnected
                swap(&state.commands, &commands)
                return state.isClosed
            }
            for command in commands { carryOut(command, sender) }
            if commands.isEmpty {
                if isClosed { break }
                wake.wait(milliseconds: NATSLink.round)
            }
            commands.removeAll(keepingCapacity: true)
            if SystemClock.now - looked >= NATSLink.round {
                looked = SystemClock.now
                dropOutlived()
                sender.mend()
            }
        }
        sender.close()
        let left = requests.withLock { requests in
            defer { requests.waiting = [:] }
            return Array(requests.waiting.values)
        }
        for waiting in left { waiting.answer(.none) }
    }

    private func carryOut(_ command: Command, _ sender: NATSSender) {
        switch command {
        case .subscribe(let subject, let receive): sender.subscribe(subject, receive)
        case .unsubscribe(let subject): sender.unsubscribe(subject)
        case .send(let subject, let bytes, let headers, let token):
            let reply = token.map { "\(inbox).\($0)" }
            // What was written while there is no connection would go out when nobody waits for it any more.
            let isSent =
                sender.isConnected
                && sender.publish(bytes, to: subject, reply: reply, headers: headers)
            if !isSent, let token { take(token)?(.notSent) }
        }
    }
}
