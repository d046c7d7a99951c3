/// How many of each reaction there should be on each message of a channel, by the acks.
struct CountModel: Sendable {
    /// By cell; a cell is a message and a reaction.
    private var counts: [UInt64: Int] = [:]
    /// Messages that were ever touched.
    private(set) var messages: Set<Int> = []
    /// Cells with a request whose effect nobody knows.
    private var uncertain: Set<UInt64> = []

    /// The number of a message and a reaction as one.
    static func cell(message: Int, reaction: Int) -> UInt64 {
        UInt64(message) << 4 | UInt64(reaction & 15)
    }

    /// The message of a cell.
    static func message(of cell: UInt64) -> Int { Int(cell >> 4) }

    /// The reaction of a cell.
    static func reaction(of cell: UInt64) -> Int { Int(cell & 15) }

    /// Takes in what an ack said.
    mutating func change(_ cell: UInt64, by step: Int) {
        messages.insert(CountModel.message(of: cell))
        counts[cell, default: 0] += step
    }

    /// Gives up to know a cell's count.
    mutating func doubt(_ cell: UInt64) {
        uncertain.insert(cell)
    }

    /// Compares a message with what a broker says of it.
    ///
    /// - Parameters:
    ///   - message: Its number.
    ///   - reactions: How many reactions the run uses.
    ///   - count: What the broker says of a reaction, 0 where it lists none.
    /// - Returns: How many counts were compared, and how many are wrong.
    func compare(message: Int, reactions: Int, _ count: (Int) -> UInt64) -> (compared: UInt64, wrong: UInt64) {
        var result: (compared: UInt64, wrong: UInt64) = (0, 0)
        for reaction in 0..<reactions {
            let cell = CountModel.cell(message: message, reaction: reaction)
            guard !uncertain.contains(cell) else { continue }
            result.compared += 1
            if UInt64(max(0, counts[cell] ?? 0)) != count(reaction) { result.wrong += 1 }
        }
        return result
    }
}
