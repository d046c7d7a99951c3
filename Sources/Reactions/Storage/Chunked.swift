/// An array in blocks: growing it never moves what is there, so that no single append takes long.
struct Chunked<Element: Sendable>: Sendable {
    // A block of the largest element is some 30 KB: cheap to make, and little when only begun.
    private static var blockShift: Int { 9 }
    private static var blockSize: Int { 1 << blockShift }
    private var blocks: [[Element]] = []

    /// How many elements there are.
    private(set) var count = 0

    /// The element at an index below `count`.
    subscript(index: Int) -> Element {
        _read { yield blocks[index >> Self.blockShift][index & (Self.blockSize - 1)] }
        _modify { yield &blocks[index >> Self.blockShift][index & (Self.blockSize - 1)] }
    }

    /// Adds an element at the end.
    mutating func append(_ element: Element) {
        if count >> Self.blockShift == blocks.count {
            blocks.append([])
            // The first block grows as arrays do: most channels are small.
            if count > 0 { blocks[blocks.count - 1].reserveCapacity(Self.blockSize) }
        }
        blocks[blocks.count - 1].append(element)
        count += 1
    }

    /// Takes the last element away.
    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let last = blocks[blocks.count - 1].removeLast()
        // The first block stays: what empties is often filled again at once.
        if blocks.count > 1, blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
        count -= 1
        return last
    }

    /// Takes all elements away, and gives back their memory unless that is little.
    mutating func removeAll() {
        guard blocks.count == 1, blocks[0].capacity <= Self.keptCapacity else {
            self = Chunked()
            return
        }
        blocks[0].removeAll(keepingCapacity: true)
        count = 0
    }

    /// So many elements' worth of memory is kept for those that come next.
    private static var keptCapacity: Int { 8 }
}
