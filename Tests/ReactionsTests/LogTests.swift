import Testing

@testable import Reactions

/// The form in which operations are logged, and how far a ledger has come in a log.
@Suite struct LogTests {
    private static let data = ReactionData(text: #"{"b":1, "a":2}"#, canonical: #"{"a":2,"b":1}"#)

    private static let actions: [Operation.Action] = [
        .add(reaction: "👍", count: nil, data: nil), .add(reaction: "👏", count: 7, data: data),
        .remove(reaction: "👍", count: nil), .remove(reaction: "👍", count: 3),
        .toggle(reaction: "❤️", count: nil, data: data), .set(reactions: ["👍", "🎉"]), .set(reactions: []),
        .clear(reaction: nil, user: nil), .clear(reaction: "👎", user: "mallory"), .delete, .freeze(true),
        .freeze(false),
    ]

    private func batch(_ actions: [Operation.Action] = actions) -> LogBatch {
        LogBatch(
            writer: .max, number: 300, seen: LogMark(position: 7, digest: .max),
            rules: Rules(
                policy: .multiple, kind: .any, allowed: [Reaction(canonical: "👍")], foldSkinTones: true,
                maxKindsPerMessage: 3, maxPerUserAndMessage: .max),
            entries: actions.enumerated().map { index, action in
                LogBatch.Entry(
                    at: Int64(index) - 2,
                    Operation(
                        action, message: index % 2 == 0 ? "" : "m1", user: "ada", key: index % 3 == 0 ? "k" : nil,
                        tokenAllowed: index % 4 == 0 ? ["👍", "x"] : nil))
            })
    }

    @Test("what is written is read again", arguments: actions)
    func roundTrip(action: Operation.Action) {
        let batch = batch([action])
        #expect(LogBatch(bytes: batch.bytes) == batch)
    }

    @Test("how large a batch gets is known before it is written", arguments: actions)
    func size(action: Operation.Action) {
        for (actions, texts) in [
            ([action], ""), (Self.actions, "m1"), ([action], String(repeating: "é", count: 40_000)),
        ] {
            var batch = batch(actions)
            for index in batch.entries.indices { batch.entries[index].operation.message += texts }
            let most = batch.entries.reduce(LogBatch.headBytes(batch.rules)) { $0 + $1.maxBytes }
            #expect(batch.bytes.count <= most)
            #expect(most - batch.bytes.count <= 64 + batch.entries.count * 64)
        }
    }

    @Test("what a token allows is logged as what it says of the operation")
    func tokenLists() {
        func logged(_ action: Operation.Action, _ allowed: [String]?) -> Operation {
            Operation(action, message: "m", user: "ada", tokenAllowed: allowed)
                .forLog(by: Rules(kind: .any, foldSkinTones: true))
        }
        let many = (0..<1_000).map { "r\($0)" }
        #expect(logged(.toggle(reaction: "r7", count: nil, data: nil), many).tokenAllowed == nil)
        #expect(logged(.toggle(reaction: "other", count: nil, data: nil), many).tokenAllowed == [])
        #expect(logged(.toggle(reaction: "👍🏽", count: nil, data: nil), ["👍"]).tokenAllowed == nil)
        #expect(logged(.set(reactions: ["r1", "other"]), many).tokenAllowed == [])
        #expect(logged(.remove(reaction: "other", count: nil), many).tokenAllowed == nil)
    }

    @Test("a set is logged with each reaction once")
    func sets() {
        let operation = Operation(
            .set(reactions: Array(repeating: "👍", count: 9_000) + ["🎉"]), message: "m", user: "ada")
        #expect(operation.forLog(by: Rules()).action == .set(reactions: ["👍", "🎉"]))
    }

    @Test("a batch of all is read again, and no part of it is")
    func parts() {
        let batch = batch()
        #expect(LogBatch(bytes: batch.bytes) == batch)
        for count in batch.bytes.indices { #expect(LogBatch(bytes: Array(batch.bytes[..<count])) == nil) }
        #expect(LogBatch(bytes: batch.bytes + [0]) == nil)
    }

    @Test("bytes that were changed are read or refused, never more")
    func changed() {
        let bytes = batch().bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                if let read = LogBatch(bytes: other) { #expect(LogBatch(bytes: read.bytes) == read) }
            }
        }
    }

    @Test("an image is read again, and no part of it is")
    func images() throws {
        var ledger = Ledger()
        let rules = Rules()
        for (index, user) in ["ada", "bob", "cy"].enumerated() {
            let add = Operation(
                .add(reaction: "👍", count: nil, data: Self.data), message: "m\(index)", user: user, key: "k")
            _ = try ledger.apply(add, rules: rules, at: Int64(index))
        }
        _ = try ledger.apply(Operation(.delete, message: "m1", user: "mod"), rules: rules, at: 9)
        _ = try ledger.apply(Operation(.freeze(true), message: "", user: "mod"), rules: rules, at: 9)
        var writer = ByteWriter()
        let image = ChannelImage(
            seq: ledger.seq,
            records: ledger.image.records + [.swept(message: "m1", reaction: Reaction(canonical: "👍"), upTo: 4)])
        image.append(to: &writer)
        var reader = ByteReader(bytes: writer.bytes)
        #expect(ChannelImage(&reader) == image)
        #expect(reader.isAtEnd)
        for count in writer.bytes.indices {
            var reader = ByteReader(bytes: Array(writer.bytes[..<count]))
            #expect(ChannelImage(&reader) == nil)
        }
    }

    @Test("a batch counts once, and one that was given up never")
    func once() {
        var progress = LogProgress()
        func batch(_ writer: UInt64, _ number: UInt64) -> LogBatch {
            LogBatch(writer: writer, number: number, seen: .none, rules: Rules(), entries: [])
        }
        let taken = [(1, 5), (1, 5), (2, 5), (1, 7), (1, 6)].enumerated().map { index, batchOf in
            progress.advance(to: batch(batchOf.0, batchOf.1), as: [], at: UInt64(10 + index))
        }
        #expect(taken == [true, false, true, true, false])
        #expect(progress.position == 14)
        #expect(progress.count == 5)
        #expect(progress.hasApplied(6, of: 1))
        #expect(!progress.hasApplied(8, of: 1))
        #expect(!progress.hasApplied(1, of: 3))
    }

    @Test("time never goes back, whatever clock an entry comes from")
    func time() {
        var progress = LogProgress()
        let times = [5, 3, 9, .min, 9].map { at in
            progress.time(of: LogBatch.Entry(at: at, Operation(.delete, message: "m", user: "u")))
        }
        #expect(times == [5, 5, 9, 9, 9])
    }

    @Test("how far it has come is read again")
    func progress() {
        var progress = LogProgress()
        for number in 1...9 as ClosedRange<UInt64> {
            let batch = LogBatch(
                writer: number % 4, number: number, seen: .none, rules: Rules(),
                entries: [.init(at: Int64(number), Operation(.delete, message: "m", user: "u"))])
            progress.pass(batch.bytes, at: number * 2)
        }
        var writer = ByteWriter()
        progress.append(to: &writer)
        var reader = ByteReader(bytes: writer.bytes)
        let read = LogProgress(&reader)
        #expect(reader.isAtEnd)
        #expect(read?.position == 18 && read?.count == 9 && read?.time == 9)
        #expect(read?.chain.newest == progress.chain.newest)
        #expect((0...9).allSatisfy { read?.hasApplied($0, of: 1) == progress.hasApplied($0, of: 1) })
    }

    // MARK: Marks

    /// A batch with one change.
    private func change(_ user: String, _ number: UInt64) -> [UInt8] {
        LogBatch(
            writer: 1, number: number, seen: .none, rules: Rules(),
            entries: [.init(at: 1, Operation(.delete, message: "m", user: user))]
        ).bytes
    }

    @Test("a batch says how far its writer had come, and is read again")
    func seen() {
        for seen in [LogMark.none, LogMark(position: .max, digest: .max)] {
            let batch = LogBatch(writer: 3, number: 4, seen: seen, rules: Rules(), entries: [])
            #expect(LogBatch(bytes: batch.bytes) == batch)
            #expect(batch.bytes.count <= LogBatch.headBytes(batch.rules))
            for count in batch.bytes.indices { #expect(LogBatch(bytes: Array(batch.bytes[..<count])) == nil) }
        }
    }

    @Test("marks are the same where the same changes were applied, wherever those stand")
    func sameMarks() {
        var (one, other) = (LogProgress(), LogProgress())
        for number in 1...40 as ClosedRange<UInt64> {
            one.pass(change("ada", number), at: 10 * number)
            one.pass(change("ada", number), at: 10 * number + 1)
            one.pass(
                LogBatch(writer: 2, number: number, seen: .none, rules: Rules(), entries: []).bytes, at: 10 * number + 2
            )
            one.pass([9, 9, 9], at: 10 * number + 3)
            other.pass(change("ada", number), at: 10 * number)
            #expect(one.chain.newest == other.chain.newest)
            #expect(one.contradiction(of: other.mark) == nil)
            #expect(one.agrees(with: other.mark) == true)
            #expect(one.chain.contradiction(of: change("ada", number), at: 10 * number) == nil)
        }
        #expect(one.contradiction(of: LogMark(position: 10, digest: 1)) == nil, "too long ago")
        #expect(one.agrees(with: LogMark(position: 10, digest: 1)) == nil)
        #expect(one.contradiction(of: LogMark(position: 404, digest: 1)) == nil, "it has not come there")
        #expect(one.agrees(with: LogMark(position: 404, digest: 1)) == nil)
        let own = LogMark(position: 401, digest: one.mark.digest)
        #expect(one.contradiction(of: LogMark(position: 401, digest: 1)) == own, "no place of a change")
    }

    @Test("a change that only one of two ledgers has makes their marks differ, wherever they have come to")
    func missingChange() {
        var (one, other) = (LogProgress(), LogProgress())
        one.pass(change("ada", 1), at: 1)
        other.pass(change("ada", 1), at: 1)
        one.pass(change("ada", 2), at: 2)
        #expect(one.contradiction(of: other.mark) == nil && other.contradiction(of: one.mark) == nil, "one is behind")
        for number in 3...4 as ClosedRange<UInt64> {
            let sign = LogBatch(writer: 2, number: number, seen: .none, rules: Rules(), entries: []).bytes
            one.pass(sign, at: number)
            other.pass(sign, at: number)
            #expect(one.contradiction(of: other.mark) == one.mark)
            #expect(other.contradiction(of: one.mark) == other.mark)
        }
    }

    @Test("one other change makes all marks behind it other ones")
    func otherMarks() {
        var (one, other) = (LogProgress(), LogProgress())
        for number in 1...30 as ClosedRange<UInt64> {
            one.pass(change("ada", number), at: number)
            other.pass(change(number == 9 ? "eve" : "ada", number), at: number)
            let own = one.contradiction(of: other.chain.newest)
            #expect(own == (number < 9 ? nil : one.chain.newest))
        }
        #expect(one.chain.contradiction(of: change("eve", 30), at: 30) == one.chain.newest)
    }

    @Test("where all was in a snapshot, its mark is gone on from")
    func marksOfSnapshots() throws {
        var whole = LogProgress()
        for number in 1...5 as ClosedRange<UInt64> { whole.pass(change("ada", number), at: number) }
        var writer = ByteWriter()
        whole.append(to: &writer)
        var reader = ByteReader(bytes: writer.bytes)
        var part = try #require(LogProgress(&reader))
        whole.pass(change("bob", 6), at: 6)
        part.pass(change("bob", 6), at: 6)
        #expect(part.chain.newest == whole.chain.newest)
    }
}

extension LogMark {
    /// That of a writer that had applied nothing.
    fileprivate static var none: LogMark { LogMark(position: 0, digest: 0) }
}

extension LogProgress {
    /// Goes on past what was logged as some bytes.
    fileprivate mutating func pass(_ bytes: [UInt8], at position: UInt64) {
        pass(LogBatch(bytes: bytes), as: bytes, at: position)
    }
}
