import Reactions
import TestSupport

@testable import Storage

/// A channel as the words of `Record` say it: each record in turn, one dictionary, nothing clever.
struct Model {
    private(set) var seq: UInt64 = 0
    private var places: [[String]: Record] = [:]

    mutating func apply(_ write: ChannelWrite) {
        seq = write.seq
        for record in write.records {
            switch record {
            case .entry(let message, let user, let reaction, let entry):
                places[["entry", message, user, reaction.text]] = entry == nil ? nil : record
            case .swept(let message, let reaction, let seq):
                places = places.filter { _, record in
                    guard case .entry(message, _, reaction, .some(let entry)) = record else { return true }
                    return entry.given > seq
                }
            case .group(let message, let reaction, let group):
                places[["group", message, reaction.text]] = group == nil ? nil : record
            case .message(let message, _):
                places[["message", message]] = record
            case .key(let user, let key, _):
                places[["key", user, key]] = record
            case .frozen(let frozen):
                places[["frozen"]] = frozen ? record : nil
            }
        }
    }

    func contents(keysSince: Int64) -> [Record: Int] {
        places.values.reduce(into: [:]) { contents, record in
            if case .key(_, _, let key) = record, key.at < keysSince { return }
            contents[record, default: 0] += 1
        }
    }
}

/// Random writes.
struct RandomWrites: RandomNumberGenerator {
    private var generator = SeededGenerator(for: "random writes")
    /// The seq of the newest record, since what is swept is told by seqs that only grow.
    private var seq: UInt64 = 0

    mutating func next() -> UInt64 { generator.next() }
}

extension RandomWrites {
    private mutating func pick(_ texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &self)] }

    private mutating func number() -> UInt64 {
        Bool.random(using: &self) ? UInt64.random(in: 0...5, using: &self) : UInt64.random(in: 0...(.max), using: &self)
    }

    private mutating func time() -> Int64 { 1_764_470_400_000 + Int64.random(in: 0..<600_000, using: &self) }

    private mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    private mutating func data() -> ReactionData? {
        if Bool.random(using: &self) { return nil }
        return ReactionData(
            text: pick(["{}", "{ \"b\":\"é\", \"a\":1e2 }", ""]), canonical: pick(["{}", "{\"a\":1}", ""]))
    }

    /// A record of one of few places, so that many meet.
    mutating func record() -> Record {
        let message = pick(["", "m1", "m2", "a-rather-long-message-id-0123456789", "M1"])
        let reaction = Reaction(canonical: pick(["👍", "❤️", "👩‍👩‍👧‍👦", "party_parrot", "👍🏽", "🏳️‍🌈"]))
        let user = pick(["ada", "bob", "Ada", "user-with-a-long-name-0123456789", "%_'\"\\"])
        let isGone = Int.random(in: 0..<4, using: &self) == 0
        seq += 1
        switch Int.random(in: 0..<13, using: &self) {
        case 0..<6:
            let entry = Record.Entry(count: number(), given: seq, touched: number(), at: time(), data: data())
            return .entry(message: message, user: user, reaction: reaction, isGone ? nil : entry)
        case 6..<8:
            let group = Record.Group(started: number(), first: time(), last: time())
            return .group(message: message, reaction: reaction, isGone ? nil : group)
        case 8..<10:
            return .message(message, Record.Message(changed: number(), isDeleted: Bool.random(using: &self)))
        case 10: return .swept(message: message, reaction: reaction, upTo: seq)
        case 11:
            return .key(user: user, key: pick(["k1", "k2", "k3"]), .init(at: time(), body: bytes(), answer: bytes()))
        default:
            return .frozen(Bool.random(using: &self))
        }
    }

    /// A group of writes over few channels, now and then two of the same one.
    mutating func group() -> [ChannelWrite] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in
            ChannelWrite(
                channel: pick(["chat:1", "chat:2", "Chat:1", "live"]), seq: number(),
                records: (0..<Int.random(in: 0...12, using: &self)).map { _ in record() })
        }
    }
}
