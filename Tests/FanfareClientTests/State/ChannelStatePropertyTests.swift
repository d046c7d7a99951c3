import Reactions
import TestSupport
import Testing
import Wire

@testable import FanfareClient

/// Ada's client and a plain broker, with two queues between them that may be cut at any moment.
private struct World {
    static let messages = ["m1", "m2"]
    static let reactions = ["👍", "❤️", "🎉"]

    var state = ChannelState("chat:42", user: "ada")
    var broker: PlainBroker
    var generator: SeededGenerator
    var up: [Request.Body] = []
    var down: [BrokerMessage] = []
    var isConnected = false
    var now: Int64 = 0
    var lastKey = 0
    /// What ada wants to have in the end, by message and reaction; kept for policy `distinct`, where wishes are independent.
    var wish: [String: Bool] = [:]
    /// The seq up to which the broker has told.
    var told: UInt64 = 0

    init(_ policy: Policy, seed: UInt64) {
        broker = PlainBroker(policy)
        generator = SeededGenerator(seed: seed)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func pick(_ list: [String]) -> String { list[Int.random(in: list.indices, using: &generator)] }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: act()
        case 25..<40: other()
        case 40..<60: carryUp()
        case 60..<85: carryDown()
        case 85..<92: isConnected ? disconnect() : connect()
        default: now += Int64.random(in: 0...800, using: &generator)
        }
        send()
    }

    private mutating func act() {
        let (message, reaction) = (pick(Self.messages), pick(Self.reactions))
        var actions: [PendingChange.Action] = [.add, .remove]
        // Before the first snapshot a toggle is the broker's to decide, so no wish can be told from it.
        if broker.policy != .multiple, state.position != nil { actions.append(.toggle) }
        let action = actions[Int.random(in: actions.indices, using: &generator)]
        let isThere = state.view(of: message).own.contains(.init(canonical: reaction))
        lastKey += 1
        let count = broker.policy == .multiple && action == .add && chance(30) ? 3 : nil
        let change = state.act(
            action, [.init(canonical: reaction)], on: message, key: "k\(lastKey)", count: count)
        #expect(change != nil)
        wish["\(message) \(reaction)"] = action == .add || (action == .toggle && !isThere)
        let isShown = state.view(of: message).own.contains(.init(canonical: reaction))
        #expect(isShown == wish["\(message) \(reaction)"], "what a person does is seen at once")
    }

    private mutating func other() {
        let (message, reaction) = (pick(Self.messages), pick(Self.reactions))
        let user = pick(["bob", "cy"])
        _ = chance(60) ? broker.add(user, message, reaction) : broker.remove(user, message, reaction)
        tell()
    }

    /// The broker tells what is news.
    private mutating func tell() {
        for change in broker.log where change.seq > told && isConnected {
            down.append(.event(channel: "chat:42", change))
        }
        told = broker.seq
    }

    private mutating func carryUp() {
        guard !up.isEmpty else { return }
        let body = up.removeFirst()
        if chance(10), case .operation(_, _, _, let key?) = body {
            let code: ErrorCode = chance(50) ? .rateLimited : .unavailable
            let wait: Int64? = chance(50) ? 300 : nil
            down.append(.error(id: .text(key), code: code, message: "later", retryAfterMilliseconds: wait))
        } else if let answer = broker.perform(body) {
            // The ack comes before the event.
            down.append(answer)
            tell()
        }
    }

    private mutating func carryDown() {
        guard !down.isEmpty else { return }
        _ = state.receive(down.removeFirst(), now: now)
    }

    private mutating func disconnect() {
        isConnected = false
        // Some of what was on its way still arrives at the broker, in order; its answers are lost.
        let arrived = up.isEmpty ? 0 : Int.random(in: 0...up.count, using: &generator)
        for body in up.prefix(arrived) { _ = broker.perform(body) }
        up = []
        down = []
        told = broker.seq
        state.connected(false)
    }

    private mutating func connect() {
        isConnected = true
        state.connected(true)
        down = broker.subscribed(since: state.position, recovers: chance(50), messages: Self.messages)
        told = broker.seq
    }

    private mutating func send() {
        for change in state.outbox(now: now) {
            state.sent(change.key)
            up.append(change.request(in: "chat:42"))
        }
    }

    /// Lets everything come to its end.
    mutating func settle() {
        if !isConnected { connect() }
        var rounds = 0
        while !up.isEmpty || !down.isEmpty || !state.changes.all.isEmpty, rounds < 10_000 {
            carryUp()
            carryDown()
            now += 400
            send()
            rounds += 1
        }
    }
}

@Suite("The state of a channel, whatever happens")
struct ChannelStatePropertyTests {
    @Test(
        "ends as a plain broker has it: nothing lost, nothing double, the last wish fulfilled",
        arguments: [Policy.distinct, .unique, .multiple], 1...60 as ClosedRange<UInt64>)
    func converges(_ policy: Policy, _ seed: UInt64) {
        var world = World(policy, seed: seed)
        for _ in 0..<400 { world.step() }
        world.settle()
        #expect(world.state.changes.all.isEmpty, "seed \(seed): all is answered, and nothing was refused")
        #expect(world.broker.effects.values.allSatisfy { $0 == 1 }, "seed \(seed): nothing took effect twice")
        for message in World.messages {
            let sight = world.state.view(of: message)
            let groups = sight.groups.map {
                GroupCount(reaction: $0.group.reaction, count: UInt64($0.group.count), users: UInt64($0.group.users))
            }
            #expect(groups == world.broker.groups(of: message), "seed \(seed)")
            #expect(sight.total == Int(world.broker.total(of: message)), "seed \(seed)")
            #expect(sight.own.list == world.broker.own(of: "ada", on: message), "seed \(seed)")
            #expect(sight.groups.allSatisfy { $0.status == .sent }, "seed \(seed)")
            guard policy == .distinct else { continue }
            for reaction in World.reactions {
                let isThere = sight.own.contains(.init(canonical: reaction))
                #expect(isThere == world.wish["\(message) \(reaction)", default: false], "seed \(seed), \(reaction)")
            }
        }
    }
}
