import Reactions

/// What brokers share by a log is read or refused, and what was read goes by its rules: nothing in it ends a broker.
///
/// Input: a byte, then a batch of operations where it is even, else a channel's image.
enum LogRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        if kind % 2 == 0 { try checkBatch(bytes) } else { try checkImage(bytes) }
    }

    private static func checkBatch(_ bytes: [UInt8]) throws(Broken) {
        guard let batch = LogBatch(bytes: bytes) else { return }
        try expectSame(LogBatch(bytes: batch.bytes), batch, "a batch, written and read again")
        var (one, other) = (Ledger(), Ledger())
        apply(batch, to: &one)
        apply(batch, to: &other)
        try expectSame(one.seq, other.seq, "the outcomes on two brokers")
        try checkImage(of: one)
    }

    private static func apply(_ batch: LogBatch, to ledger: inout Ledger) {
        var progress = LogProgress()
        guard progress.advance(to: batch, as: batch.bytes, at: 1) else { return }
        for entry in batch.entries {
            let time = progress.time(of: entry)
            guard let plan = try? ledger.judge(entry.operation, rules: batch.rules, at: time) else { continue }
            _ = ledger.commit(plan)
        }
    }

    private static func checkImage(of ledger: Ledger) throws(Broken) {
        let bytes = written(ledger.image)
        var reader = ByteReader(bytes: bytes)
        guard let image = ChannelImage(&reader), reader.isAtEnd else { throw Broken("a ledger's image is not read") }
        try expectSame(Ledger(image).seq, ledger.seq, "the seq of an image")
        try expectSame(
            written(Ledger(image).image).sorted(), bytes.sorted(), "an image, written and read again, in any order")
    }

    private static func checkImage(_ bytes: [UInt8]) throws(Broken) {
        var reader = ByteReader(bytes: bytes)
        guard let image = ChannelImage(&reader) else { return }
        var ledger = Ledger(image)
        // A channel that came from it goes on.
        for (number, message) in ["a", "b"].enumerated() {
            let operation = Operation(
                .toggle(reaction: "👍", count: nil, data: nil), message: message, user: "ada", key: nil,
                tokenAllowed: nil)
            guard let plan = try? ledger.judge(operation, rules: Rules(), at: Int64(number)) else { continue }
            _ = ledger.commit(plan)
        }
        _ = written(ledger.image)
    }

    private static func written(_ image: ChannelImage) -> [UInt8] {
        var writer = ByteWriter()
        image.append(to: &writer)
        return writer.bytes
    }
}
