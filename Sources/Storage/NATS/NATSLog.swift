import Locks

/// A log in JetStream: a stream for each partition, which tells what it has taken by channel, and one for snapshots.
///
/// All reading is from the streams' leaders: they know what was acknowledged, and replicas were seen to differ.
public final class NATSLog: OperationLog {
    /// The life of the streams.
    public let epoch: String
    /// Whether there is a connection to one of its servers, or was within the last moments.
    public var isConnected: Bool { link.isConnected }
    let link: NATSLink
    let subjects: NATSSubjects
    private let events: EventTeller
    private let keeper: SnapshotKeeper
    private let places = EntryPlaces()
    private let turns = ReadTurns()
    private let watch: StreamWatch
    /// How the servers' clock stood when the broker began; `nil`: they did not tell.
    private let difference: Int64?

    /// Connects, and makes the streams that are not there; waits up to half a minute for a server, and then up to a minute
    /// for the streams.
    ///
    /// - Parameters:
    ///   - settings: where it is.
    ///   - waiting: is told why it has to wait, for a person, whenever that is another reason than before.
    ///   - remark: is told what is not as it is set, for a person.
    /// - Throws: `StoreError.unusable` at once where waiting does not help.
    public init(
        _ settings: NATSSettings, waiting: (String) -> Void = { _ in }, remark: (String) -> Void = { _ in }
    ) throws(StoreError) {
        let events = EventTeller()
        let link = try NATSLog.untilReached(SystemClock.now + 30_000, waiting) { () throws(StoreError) in
            try NATSLink(settings) { events.tell($0) }
        }
        do throws(StoreError) {
            let now = SystemClock.now
            let lives = try NATSLog.untilReached(now + 60_000, quietUntil: now + NATSLog.usual, waiting) {
                () throws(StoreError) in
                do throws(StoreError) { return try StreamSetup(settings, link).lives() } catch {
                    guard let words = events.takeForbidden() else { throw error }
                    throw .unusable("NATS does not permit something: \(words)")
                }
            }
            epoch = lives.epoch
            subjects = NATSSubjects(settings, lives)
            for words in try ServerAgreement(settings, lives).confirm() { remark(words) }
            for words in StreamSetup(settings, link).remarks() { remark(words) }
            if let words = NATSLog.remark(onPayload: link.maxPayload) { remark(words) }
            difference = ServerClock(link, subjects).look()
            watch = try StreamWatch(link, subjects)
            keeper = try SnapshotKeeper(link, subjects, places)
        } catch {
            link.close()
            throw error
        }
        self.link = link
        self.events = events
        events.watch(watch)
    }

    /// How long streams that are made may have no leader, and other brokers wait for that, in milliseconds: nothing to
    /// tell anybody.
    private static let usual = 10_000

    /// Tries again what the servers cannot do yet; tells nothing of it before a time.
    private static func untilReached<Value>(
        _ deadline: Int, quietUntil: Int = 0, _ waiting: (String) -> Void, _ attempt: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var told: String?
        while true {
            do throws(StoreError) { return try attempt() } catch {
                guard case .unavailable(let reason) = error, SystemClock.now < deadline else { throw error }
                if reason != told, SystemClock.now >= quietUntil {
                    waiting(reason)
                    told = reason
                }
                Semaphore().wait(milliseconds: 250)
            }
        }
    }

    // MARK: Following

    /// Tells what is appended; see ``OperationLog/follow(_:tell:)``.
    public func follow(_ channel: String, tell: @escaping @Sendable (LogNews) -> Void) {
        let places = places.begin(channel)
        link.subscribe(subjects.news(of: channel)) { message in
            if let position = message.number("Nats-Sequence"), let previous = message.number("Nats-Last-Sequence") {
                places.note(position, after: previous)
                tell(.entry(LogEntry(position: position, bytes: message.bytes), previous: previous))
            } else {
                tell(.said(message.bytes))
            }
        }
    }

    /// Ends following; see ``OperationLog/unfollow(_:)``.
    public func unfollow(_ channel: String) {
        link.unsubscribe(subjects.news(of: channel))
        places.end(channel)
    }

    /// Says something to all who follow; see ``OperationLog/say(_:about:)``.
    public func say(_ bytes: [UInt8], about channel: String) {
        link.send(bytes, to: subjects.said(of: channel))
    }

    /// In which stream a channel stands; see ``OperationLog/part(of:)``.
    public func part(of channel: String) -> Int { subjects.partition(of: channel) }

    // MARK: Appending and reading

    /// How large an entry may be; see ``OperationLog/maxEntryBytes``.
    public var maxEntryBytes: Int { max(0, link.maxPayload - NATSLog.headerBytes) }

    /// What is to be said of what the servers take in a message, in bytes; `nil`: nothing.
    static func remark(onPayload most: Int) -> String? {
        guard most < NATSLog.usualPayload / 4 else { return nil }
        return
            "the NATS servers take \(most) bytes in a message: set max_payload to \(NATSLog.usualPayload), or batches are small, and a large change is refused"
    }

    /// What servers take in a message where nothing else is set.
    private static let usualPayload = 1 << 20

    /// Room for an entry's headers, which the servers count as well.
    private static let headerBytes = 1_024

    /// Appends an entry; see ``OperationLog/append(_:to:answer:)``.
    ///
    /// It has no name by which NATS would know it again (`Nats-Msg-Id`): where servers 2.9 had refused a message and one of
    /// them stood still for some seconds, their replicas were seen to differ for good. Every ledger knows a batch again.
    public func append(
        _ bytes: [UInt8], to channel: String, answer: @escaping @Sendable (Result<UInt64, AppendFailure>) -> Void
    ) {
        guard bytes.count <= maxEntryBytes else {
            let words = "a batch of \(bytes.count) bytes, and the NATS servers take \(maxEntryBytes) (max_payload)"
            return answer(.failure(.refused(words)))
        }
        link.ask(subjects.entries(of: channel), bytes) { answer(NATSLog.place($0)) }
    }

    /// Where a stream has put what it was sent.
    static func place(_ answer: NATSAnswer) -> Result<UInt64, AppendFailure> {
        switch answer {
        case .reply(let bytes, _, _):
            let answer = StreamAnswer(bytes)
            if answer.errorCode != nil { return .failure(.refused(answer.errorWords)) }
            guard let sequence = answer.sequence, sequence > 0 else { return .failure(.undecided) }
            return .success(sequence)
        case .nobody: return .failure(.refused("no stream takes it: it has no leader, or is not there"))
        case .notSent: return .failure(.refused("there is no connection to a NATS server"))
        case .none: return .failure(.undecided)
        }
    }

    /// Reads a channel; see ``OperationLog/read(_:after:answer:)``.
    public func read(
        _ channel: String, after position: UInt64?,
        answer: @escaping @Sendable (Result<LogReading, StoreError>) -> Void
    ) {
        turns.take(isNew: position == nil) { [self] in
            NATSReader(link, subjects, channel, after: position) { [turns] result in
                answer(result)
                turns.done()
            }.begin()
        }
    }

    /// Keeps a snapshot; see ``OperationLog/keepSnapshot(of:at:bytes:)``.
    public func keepSnapshot(of channel: String, at position: UInt64, bytes: @escaping @Sendable () -> [UInt8]) {
        keeper.keep(channel, at: position, bytes)
    }

    // MARK: What concerns no single channel

    /// Begins to tell; see ``OperationLog/start(tell:)``.
    public func start(tell: @escaping @Sendable (LogEvent) -> Void) {
        events.begin(tell)
        link.subscribe(subjects.revocations) { message in
            if let revocation = Revocation(message.bytes) { tell(.revoked(revocation)) }
        }
        // What was appended while there was no leader was told to nobody.
        let state = subjects.state
        for stream in subjects.logs + [state] {
            link.subscribe("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.\(stream)") { [watch] _ in
                tell(.mayHaveMissed)
                watch.look(hasOtherClock: stream == state)
            }
        }
        if let difference { tell(.clock(difference)) }
        watch.start { [events] in events.tell($0) }
    }

    /// Revokes on all brokers; see ``OperationLog/revoke(_:answer:)``.
    public func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        link.ask(subjects.revocation(of: revocation.user), revocation.bytes) { reply in
            switch NATSLog.place(reply) {
            case .success: answer(.success(()))
            case .failure(.refused(let reason)): answer(.failure(.unavailable(reason)))
            case .failure(.undecided): answer(.failure(.unavailable("the log has not answered")))
            }
        }
    }

    /// Reads who was revoked; see ``OperationLog/loadRevocations(answer:)``.
    public func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        RevocationReader(link, subjects, answer: answer).begin()
    }

    /// Lets go; see ``OperationLog/close()``.
    public func close() {
        events.end()
        watch.close()
        keeper.close()
        link.close()
    }
}

/// Whom to tell of what concerns no single channel; nobody, until someone wants to know.
final class EventTeller: Sendable {
    private let listener = Locked<(@Sendable (LogEvent) -> Void)?>(nil)
    private let watch = Locked<StreamWatch?>(nil)
    /// What was not permitted last, in the servers' words.
    private let forbidden = Locked<String?>(nil)

    /// What was not permitted since it was asked last.
    func takeForbidden() -> String? {
        forbidden.withLock { words in
            defer { words = nil }
            return words
        }
    }

    func begin(_ tell: @escaping @Sendable (LogEvent) -> Void) {
        listener.withLock { $0 = tell }
    }

    /// Has the streams looked at whenever the connection was lost or has come back.
    func watch(_ watch: StreamWatch) {
        self.watch.withLock { $0 = watch }
    }

    func end() {
        listener.withLock { $0 = nil }
        watch.withLock { $0 = nil }
    }

    func tell(_ event: LogEvent) {
        listener.withLock { $0 }?(event)
    }

    func tell(_ event: NATSConnectionEvent) {
        switch event {
        case .mayHaveMissed: tell(LogEvent.mayHaveMissed)
        case .disconnected: break
        case .forbidden(let words):
            forbidden.withLock { $0 = words }
            tell(LogEvent.forbidden(words))
        }
        watch.withLock { $0 }?.look()
    }
}
