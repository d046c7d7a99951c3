import Foundation
import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// A channel on a loop of its own, with the time and the store in the test's hands.
final class ChannelHarness {
    let loop: EventLoop
    let channel: Channel
    var moment = Moment(unix: 1_000_000, clock: 0)
    private(set) var group: UInt64 = 1
    private var nextID: UInt64 = 1

    init(
        _ namespace: Namespace = Namespace(), users: SharedBuckets = SharedBuckets(), maxWaiting: Int = 100
    ) throws {
        loop = try EventLoop(name: "channel-test")
        loop.start()
        channel = Channel(
            name: "chat:1", epoch: "e1", namespace: namespace, entry: "chat",
            limiter: ChannelLimiter(users, entry: "chat", namespace), maxWaiting: maxWaiting, hubs: 2, loop: loop)
    }

    deinit {
        loop.stop()
    }

    /// A connection's key; connections with an odd number live on the second hub.
    static func connection(_ number: Int) -> ConnectionKey {
        ConnectionKey(hub: number % 2, slot: UInt32(number), generation: 0)
    }

    func load(_ image: ChannelImage? = ChannelImage()) async {
        await channel.loaded(image, group: group, at: moment)
    }

    /// Sends a request of connection `number`, whose user is `u<number>`.
    func ask(_ number: Int, _ body: ChannelRequest.Body) async {
        let origin = Origin(
            connection: Self.connection(number), user: "u\(number)", id: .number(nextID), wantsReply: true)
        nextID += 1
        await channel.handle(
            ChannelRequest(channel: "chat:1", origin: origin, body: body), group: group, at: moment)
    }

    func act(_ number: Int, _ action: Reactions.Operation.Action, on message: String = "m1", key: String? = nil) async {
        await ask(number, .operation(Reactions.Operation(action, message: message, user: "u\(number)", key: key)))
    }

    func add(_ number: Int, _ reaction: String = "👍", on message: String = "m1") async {
        await act(number, .add(reaction: reaction, count: nil, data: nil), on: message)
    }

    func subscribe(_ number: Int, mode: Mode = .events, messages: [String]? = nil, since: Position? = nil) async {
        await ask(number, .subscribe(.init(channel: "chat:1", mode: mode, messages: messages, since: since)))
    }

    /// Takes what is to be written, as a store does.
    func takeWrite() async -> ChannelWrite? {
        await channel.takeWrite(for: group, at: moment)
    }

    /// Takes what is to be written, as a store does, and answers that it is durable.
    func commit() async {
        guard await takeWrite() != nil else { return }
        await channel.committed(upTo: group, at: moment)
        group += 1
    }

    /// What the channel says now, hub by hub: each message as JSON, in order.
    func heard() async -> [[String: Any]] {
        var messages: [[String: Any]] = []
        for (_, delivery) in await channel.takeDeliveries(at: moment) {
            for item in delivery.items { messages += texts(of: item, delivery).compactMap(json) }
        }
        return messages
    }

    /// The types of what the channel says now.
    func heardTypes() async -> [String] {
        await heard().compactMap { $0["type"] as? String }
    }

    private func texts(of item: ChannelDelivery.Item, _ delivery: ChannelDelivery) -> [[UInt8]] {
        switch item {
        case .replies(_, let range, _, _), .notSubscribed(_, let range), .watched(_, let range, _),
            .unsubscribed(_, let range),
            .resynchronized(_, let range, _):
            payloads(frames: Array(delivery.replies[range]))
        case .subscribed(_, let range, _, let missed, _):
            payloads(frames: Array(delivery.replies[range])) + missed.flatMap(texts(of:))
        case .answered, .silent, .missed: []
        case .events(let batch): texts(of: batch)
        case .summary(let batch): payloads(frames: bytes(batch.frame))
        case .own(let own, _): payloads(frames: bytes(own.frame))
        case .burst(_, let frame), .notice(let frame), .occupancy(let frame): payloads(frames: bytes(frame))
        }
    }

    private func texts(of batch: EventBatch) -> [[UInt8]] {
        let all = bytes(batch.bytes)
        return batch.marks.flatMap { payloads(frames: Array(all[$0.frame])) }
    }

    private func bytes(_ shared: SharedBytes) -> [UInt8] {
        shared.withSpan { span in span.indices.map { span[$0] } }
    }

    private func json(_ text: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
    }
}
