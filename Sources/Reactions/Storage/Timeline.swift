/// Places in the order of their seqs: the newest is appended, any may go, and reading starts anywhere.
///
/// Sorted blocks of bounded size, so that nothing takes longer than a search and the move of one block.
struct Timeline: Sendable {
    /// A place and its seq, in 12 bytes: as one number the seq would make it 16.
    struct Mark: Sendable, Hashable {
        private var high: UInt32
        private var low: UInt32
        var slot: Slot

        init(seq: UInt64, slot: Slot) {
            high = UInt32(truncatingIfNeeded: seq >> 32)
            low = UInt32(truncatingIfNeeded: seq)
            self.slot = slot
        }

        var seq: UInt64 { UInt64(high) << 32 | UInt64(low) }
    }

    static let blockSize = 256
    private var blocks: [[Mark]] = []

    /// How many marks there are.
    private(set) var count = 0

    /// Adds a mark with a seq above all others.
    mutating func append(_ slot: Slot, at seq: UInt64) {
        let newest = blocks.count - 1
        if newest >= 0, blocks[newest].count < Self.blockSize {
            blocks[newest].append(Mark(seq: seq, slot: slot))
        } else {
            blocks.append([Mark(seq: seq, slot: slot)])
        }
        count += 1
    }

    /// Takes a mark away.
    ///
    /// A damaged store may have given several one seq; exactly the one asked for goes.
    mutating func remove(_ slot: Slot, at seq: UInt64) {
        // Often it is the newest one: of a message that changes again, or where everything goes.
        var position = position(before: blocks.count, 0)
        if let (block, index) = position, blocks[block][index].seq > seq { position = self.position { $0 <= seq } }
        while let (block, index) = position, blocks[block][index].seq == seq {
            if blocks[block][index].slot == slot {
                blocks[block].remove(at: index)
                count -= 1
                return tidy(block)
            }
            position = self.position(before: block, index)
        }
    }

    /// Takes the newest mark away and gives its place; `nil`: there is none.
    mutating func removeNewest() -> Slot? {
        guard let newest = blocks.indices.last, let mark = blocks[newest].popLast() else { return nil }
        if blocks[newest].isEmpty { blocks.removeLast() }
        count -= 1
        return mark.slot
    }

    /// Moves a mark to the front, with a seq above all others.
    mutating func renew(_ slot: Slot, from old: UInt64, to seq: UInt64) {
        remove(slot, at: old)
        append(slot, at: seq)
    }

    /// The marks below a seq (`nil`: all), newest first.
    func newestFirst(before seq: UInt64? = nil) -> NewestFirst {
        guard let (block, index) = seq.map({ seq in position { $0 < seq } }) ?? position(before: blocks.count, 0)
        else { return NewestFirst(blocks: [], block: -1, index: -1) }
        return NewestFirst(blocks: blocks, block: block, index: index)
    }

    /// The newest mark whose seq satisfies a condition that all older ones satisfy.
    private func position(_ holds: (UInt64) -> Bool) -> (block: Int, index: Int)? {
        let block = blocks.count(ofPrefix: { holds($0[0].seq) }) - 1
        guard block >= 0 else { return nil }
        return (block, blocks[block].count(ofPrefix: { holds($0.seq) }) - 1)
    }

    /// The mark next older to a place.
    private func position(before block: Int, _ index: Int) -> (block: Int, index: Int)? {
        if index > 0 { return (block, index - 1) }
        return block > 0 ? (block - 1, blocks[block - 1].count - 1) : nil
    }

    /// Removes an empty block, or joins one that has become small with a small neighbour.
    private mutating func tidy(_ block: Int) {
        if blocks[block].isEmpty {
            blocks.remove(at: block)
        } else {
            join(block, block + 1)
            join(block - 1, block)
        }
    }

    private mutating func join(_ older: Int, _ newer: Int) {
        guard older >= 0, newer < blocks.count else { return }
        guard blocks[older].count + blocks[newer].count <= Self.blockSize / 2 else { return }
        blocks[older] += blocks[newer]
        blocks.remove(at: newer)
    }

    /// Walks back in time.
    struct NewestFirst: Sequence, IteratorProtocol {
        fileprivate let blocks: [[Mark]]
        fileprivate var block: Int
        fileprivate var index: Int

        mutating func next() -> Mark? {
            guard block >= 0 else { return nil }
            let mark = blocks[block][index]
            index -= 1
            if index < 0 {
                block -= 1
                index = block >= 0 ? blocks[block].count - 1 : -1
            }
            return mark
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// How many elements at the start satisfy a condition that no later one satisfies.
    fileprivate func count(ofPrefix holds: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }
}
