import Foundation
import Reactions
import Storage
import Transport
import Wire

@testable import Broker

/// A store whose commits are answered when the test says so.
final class HeldStore: Store {
    /// One call of `commit` that waits for its answer.
    struct Commit: Sendable {
        var group: [ChannelWrite]
        var answer: @Sendable (Result<Void, StoreError>) -> Void
    }

    let epoch = "held"
    let outbox: any Outbox = MemoryOutbox()
    private let waiting = Locked<[Commit]>([])
    /// The channels that it was told to let go.
    let expired = Locked<[String]>([])

    func load(
        _ channel: String, keysSince: Int64, answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) {
        answer(.success(ChannelImage()))
    }

    func commit(_ group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        waiting.withLock { $0.append(Commit(group: group, answer: answer)) }
    }

    func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        answer(.success(()))
    }

    func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        answer(.success([]))
    }

    func expire(
        _ channels: [String], unchangedSince moment: Int64,
        answer: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        expired.withLock { $0 += channels }
        answer(.success(channels.count))
    }

    func close() -> StoreError? { nil }

    /// Takes the oldest commit that waits.
    func next() -> Commit? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// A recipient that keeps what it hears.
final class Ear: Recipient {
    private(set) var heard: [[UInt8]] = []

    override var isClosing: Bool { closeCode != nil }
    override var isBlocked: Bool { false }
    override func send(frames: Span<UInt8>) { heard.append(frames.indices.map { frames[$0] }) }
    override func send(_ frame: SharedBytes) { heard.append(frame.withSpan { span in span.indices.map { span[$0] } }) }
    override func offer(_ batch: EventBatch, _ events: Range<Int>) -> Bool {
        let bytes = batch.bytes.withSpan { span in span.indices.map { span[$0] } }
        heard.append(Array(bytes[batch.frames(of: events)]))
        return true
    }
    override func send(_ batch: EventBatch, _ events: Range<Int>) { _ = offer(batch, events) }
    override func close(code: UInt16, reason: String, retryAfterMilliseconds: Int64?) { closeCode = code }
}

/// A broker of some loops without sockets, whose turns the test makes.
final class HubHarness {
    let loops: [EventLoop]
    let broker: Broker
    let store = HeldStore()

    init(loops count: Int, sharedLog: (any OperationLog)? = nil) throws {
        loops = try (0..<count).map { try EventLoop(name: "hub-test-\($0)") }
        for loop in loops { loop.start() }
        broker = Broker(
            loops: loops, store: store, sharedLog: sharedLog,
            settings: BrokerSettings(
                namespaces: Namespace.development,
                authenticator: Authenticator(tokens: nil, development: .init())),
            log: BrokerLog { _ in })
    }

    deinit {
        // A store that is closed has answered everything.
        while let commit = store.next() { commit.answer(.failure(.closed)) }
        for loop in loops { loop.stop() }
    }

    /// The hub on which a channel lives.
    func home(of channel: String) -> Hub {
        broker.hubs[broker.hubs[0].home(of: channel, among: loops.count)]
    }

    /// Lets a hub take messages in one turn, and waits for that turn's end.
    func turn(_ hub: Hub, _ messages: [HubMessage] = []) async {
        await onLoop(hub) { $0.receive(messages) }
        await settle()
    }

    /// Waits until each loop has ended the turn that it is in, and the ones that follow from it.
    func settle() async {
        for _ in 0..<4 {
            for hub in broker.hubs { await onLoop(hub) { _ in } }
        }
    }

    func onLoop<Result: Sendable>(_ hub: Hub, _ work: @escaping @Sendable (isolated Hub) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            hub.loop.execute { continuation.resume(returning: hub.assumeIsolated { work($0) }) }
        }
    }

    /// Adds a recipient to a hub; `issued`: when its token was, in Unix milliseconds.
    func ear(
        on hub: Hub, user: String, issued: Int64 = Identity.neverIssued, grants: [Grant] = Identity.ordinaryGrants
    ) async -> ConnectionKey {
        await onLoop(hub) { hub in
            let key = hub.recipients.reserve(on: hub.index)
            let identity = Identity(user: user, issued: issued, grants: grants)
            hub.recipients[key] = Ear(session: Session(key: key, identity: identity), hub: hub)
            return key
        }
    }

    /// The types of what a recipient has heard, with their seqs.
    func heard(_ key: ConnectionKey) async -> [String] {
        let frames = await onLoop(broker.hubs[key.hub]) { ($0.recipient(key) as? Ear)?.heard ?? [] }
        return frames.flatMap { payloads(frames: $0) }.map { payload in
            let message = (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] ?? [:]
            return "\(message["type"] ?? "?") \(message["seq"] ?? "-")"
        }
    }
}
