import Foundation
import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// Several brokers' channels of one name that share a log, with messages, faults and time in the test's hands.
final class LogHarness {
    /// One broker's channel.
    final class Node {
        let channel: Channel
        let writer: UInt64
        var number: UInt64 = 1
        /// What the log has told and has not arrived.
        var told: [(entry: LogEntry, previous: UInt64)] = []
        /// Batches that are on their way to the log.
        var sent: [(number: UInt64, bytes: [UInt8])] = []
        /// Reads that are not answered.
        var reads: [UInt64?] = []
        /// What it finds wrong with the log, and how often a batch came back.
        var troubles: [String] = []
        var returns = 0
        /// What the log was seen to have lost of what it had acknowledged.
        var lost: [AckedBatches.Loss] = []
        /// What was heard, as JSON.
        var heard: [[String: Any]] = []

        init(_ channel: Channel, writer: UInt64) {
            self.channel = channel
            self.writer = writer
        }
    }

    let loop: EventLoop
    let namespace: Namespace
    private(set) var nodes: [Node] = []
    var log = SimulatedLog()
    var moment = Moment(unix: 1_000_000, clock: 0)
    /// How far apart entries stand, as those of other channels are between them.
    var step: UInt64 = 1
    private let maxBatchBytes: Int
    private let maxWaitingBytes: Int
    private let clock: LogClock?
    private var nextID: UInt64 = 1
    private var nextWriter: UInt64 = 1

    init(
        _ count: Int, _ namespace: Namespace = Namespace(), maxBatchBytes: Int = 1 << 20,
        maxWaitingBytes: Int = 1 << 20, clock: LogClock? = nil
    ) async throws {
        self.clock = clock
        self.maxBatchBytes = maxBatchBytes
        self.maxWaitingBytes = maxWaitingBytes
        loop = try EventLoop(name: "log-test")
        loop.start()
        self.namespace = namespace
        for _ in 0..<count { try await addNode() }
    }

    deinit {
        loop.stop()
    }

    /// A broker comes to the channel, and reads what there is.
    func addNode() async throws {
        let node = addUnread()
        let fault = await node.channel.read(.success(log.read(after: nil)), at: moment)
        #expect(fault == nil)
    }

    /// A broker comes to the channel, and has read nothing of it yet.
    func addUnread() -> Node {
        let node = Node(makeChannel(), writer: nextWriter)
        nextWriter += 1
        nodes.append(node)
        return node
    }

    private func makeChannel() -> Channel {
        Channel(
            name: "chat:1", epoch: "e1", namespace: namespace, entry: "chat",
            limiter: ChannelLimiter(SharedBuckets(), entry: "chat", namespace), maxWaiting: 10_000, hubs: 1, loop: loop,
            line: LogLine(
                writer: nextWriter, maxBatchBytes: maxBatchBytes, maxWaitingBytes: maxWaitingBytes, clock: clock))
    }

    // MARK: Requests

    @discardableResult
    func ask(_ node: Int, _ user: Int, _ body: ChannelRequest.Body) async -> UInt64 {
        let origin = Origin(
            connection: ConnectionKey(hub: 0, slot: UInt32(user), generation: 0), user: "u\(user)",
            id: .number(nextID), wantsReply: true)
        nextID += 1
        await nodes[node].channel.handle(
            ChannelRequest(channel: "chat:1", origin: origin, body: body), group: 1, at: moment)
        return nextID - 1
    }

    @discardableResult
    func act(
        _ node: Int, _ user: Int, _ action: Reactions.Operation.Action, on message: String = "m1", key: String? = nil
    ) async -> UInt64 {
        await ask(
            node, user, .operation(Reactions.Operation(action, message: message, user: "u\(user)", key: key)))
    }

    @discardableResult
    func add(_ node: Int, _ user: Int, on message: String = "m1", key: String? = nil) async -> UInt64 {
        await act(node, user, .add(reaction: "👍", count: nil, data: nil), on: message, key: key)
    }

    func subscribe(_ node: Int, _ user: Int, since: UInt64? = nil) async -> UInt64 {
        await ask(
            node, user,
            .subscribe(.init(channel: "chat:1", mode: .events, since: since.map { Position(epoch: "e1", seq: $0) })))
    }

    // MARK: What nodes want and hear

    /// Takes from a channel what it wants of the log, and what it says.
    func collect(_ node: Node) async {
        let work = await node.channel.takeLogWork(number: node.number, at: moment)
        if let (number, bytes, _) = work.append {
            if number == node.number { node.number += 1 }
            node.sent.append((number, bytes))
        }
        for bytes in work.say where LogDoubt.Notice(bytes: bytes) != nil {
            for other in nodes { await other.channel.heard(said: bytes, at: moment) }
        }
        if let trouble = work.trouble { node.troubles.append(trouble) }
        if work.hasReturned { node.returns += 1 }
        if let lost = work.lost { node.lost.append(lost) }
        if let read = work.read { node.reads.append(read.known) }
        if let (position, bytes) = work.snapshot { log.keep(at: position, bytes()) }
        for (_, delivery) in await node.channel.takeDeliveries(at: moment) {
            for item in delivery.items { node.heard += messages(of: item, delivery) }
        }
    }

    /// The oldest batch arrives at the log; its answer comes back unless it gets lost.
    func store(_ node: Node, losesAnswer: Bool = false, step: UInt64? = nil) async {
        guard !node.sent.isEmpty else { return }
        let batch = node.sent.removeFirst()
        let (entry, previous) = log.append(batch.bytes, step: step ?? self.step)
        for other in nodes { other.told.append((entry, previous)) }
        if !losesAnswer { await node.channel.appended(batch.number, .success(entry.position), at: moment) }
        await collect(node)
    }

    /// An entry that was told arrives.
    func hear(_ node: Node, _ index: Int = 0, again: Bool = false) async {
        guard node.told.indices.contains(index) else { return }
        let (entry, previous) = again ? node.told[index] : node.told.remove(at: index)
        await node.channel.heard(entry, previous: previous, at: moment)
        await collect(node)
    }

    func answerRead(_ node: Node, fails: Bool = false) async {
        guard !node.reads.isEmpty else { return }
        let position = node.reads.removeFirst()
        let result: Result<LogReading, StoreError> =
            fails ? .failure(.unavailable("a test")) : .success(log.read(after: position))
        _ = await node.channel.read(result, at: moment)
        await collect(node)
    }

    /// A node is told that it may have missed something.
    func markDoubtful(_ node: Int) async {
        let clock = moment.clock
        await nodes[node].channel.doubt(at: clock)
    }

    /// Lets everything arrive, until nothing is on its way.
    func settle() async {
        for _ in 0..<200 {
            moment.clock += 1_100
            moment.unix += 1
            var isQuiet = true
            for node in nodes {
                await collect(node)
                while !node.sent.isEmpty || !node.told.isEmpty || !node.reads.isEmpty {
                    isQuiet = false
                    await store(node)
                    await hear(node)
                    await answerRead(node)
                }
                if await node.channel.line?.isIdle == false { isQuiet = false }
            }
            if isQuiet { return }
        }
        Issue.record("it does not come to rest")
    }

    /// The operations of the batches that a node has on their way.
    func sent(_ node: Int) -> [[Reactions.Operation]] {
        nodes[node].sent.map { LogBatch(bytes: $0.bytes)?.entries.map(\.operation) ?? [] }
    }

    /// What a node said in reply to a request.
    func reply(_ node: Int, _ id: UInt64) -> [String: Any]? {
        nodes[node].heard.first { ($0["id"] as? NSNumber)?.uint64Value == id }
    }

    private func messages(of item: ChannelDelivery.Item, _ delivery: ChannelDelivery) -> [[String: Any]] {
        switch item {
        case .replies(_, let range, _, _), .notSubscribed(_, let range), .watched(_, let range, _),
            .unsubscribed(_, let range), .resynchronized(_, let range, _):
            texts(Array(delivery.replies[range]))
        case .subscribed(_, let range, _, let missed, _):
            texts(Array(delivery.replies[range])) + missed.flatMap(texts)
        case .events(let batch): texts(batch)
        case .missed(let seq): [["type": "missed", "seq": seq]]
        case .summary(let batch): texts(bytes(batch.frame))
        case .own(let own, _): texts(bytes(own.frame))
        case .burst(_, let frame), .notice(let frame), .occupancy(let frame): texts(bytes(frame))
        case .answered, .silent: []
        }
    }

    private func texts(_ batch: EventBatch) -> [[String: Any]] {
        let all = bytes(batch.bytes)
        return batch.marks.flatMap { texts(Array(all[$0.frame])) }
    }

    private func texts(_ frames: [UInt8]) -> [[String: Any]] {
        payloads(frames: frames).compactMap { (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any] }
    }

    private func bytes(_ shared: SharedBytes) -> [UInt8] {
        shared.withSpan { span in span.indices.map { span[$0] } }
    }
}
