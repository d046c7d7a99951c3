/// Finds places in a ``Pool`` by hash; whether an element is the wanted one, the pool tells.
///
/// Linear hashing: it grows by one bucket at a time, so that no single insertion takes long.
struct HashIndex: Sendable {
    private struct Link {
        var hash: UInt32 = 0
        var next = Slot.nowhere
    }

    private var heads = Chunked<Slot>()
    private var links = Chunked<Link>()
    private var count = 0

    /// The first candidate for a hash, or nowhere.
    func first(_ hash: UInt32) -> Slot {
        guard count > 0 else { return .nowhere }
        return firstMatch(from: heads[bucket(of: hash)], hash)
    }

    /// The candidate after another one with the same hash, or nowhere.
    func next(after slot: Slot) -> Slot {
        let link = links[Int(slot.index)]
        return firstMatch(from: link.next, link.hash)
    }

    /// Adds a place that is not there yet.
    mutating func insert(_ slot: Slot, _ hash: UInt32) {
        if count >= heads.count { addBucket() }
        while links.count <= Int(slot.index) { links.append(Link()) }
        let bucket = bucket(of: hash)
        links[Int(slot.index)] = Link(hash: hash, next: heads[bucket])
        heads[bucket] = slot
        count += 1
    }

    /// Takes a place away.
    mutating func remove(_ slot: Slot) {
        let link = links[Int(slot.index)]
        let bucket = bucket(of: link.hash)
        if heads[bucket] == slot {
            heads[bucket] = link.next
        } else {
            var previous = heads[bucket]
            while previous.isSomewhere, links[Int(previous.index)].next != slot {
                previous = links[Int(previous.index)].next
            }
            guard previous.isSomewhere else { return }
            links[Int(previous.index)].next = link.next
        }
        count -= 1
        guard count == 0 else { return }
        heads.removeAll()
        links.removeAll()
    }

    private func firstMatch(from start: Slot, _ hash: UInt32) -> Slot {
        var slot = start
        while slot.isSomewhere, links[Int(slot.index)].hash != hash { slot = links[Int(slot.index)].next }
        return slot
    }

    /// The low bits that tell `size` buckets apart.
    private func mask(_ size: Int) -> Int {
        size < 2 ? 0 : Int.max >> ((size - 1).leadingZeroBitCount - 1)
    }

    private func bucket(of hash: UInt32) -> Int {
        let mask = mask(heads.count)
        let bucket = Int(hash) & mask
        return bucket < heads.count ? bucket : bucket & (mask >> 1)
    }

    /// Adds a bucket and moves there what belongs into it, all of it from one other bucket.
    private mutating func addBucket() {
        let new = heads.count
        heads.append(.nowhere)
        guard new > 0 else { return }
        let mask = mask(new + 1)
        let old = new & (mask >> 1)
        var slot = heads[old]
        heads[old] = .nowhere
        while slot.isSomewhere {
            let link = links[Int(slot.index)]
            let bucket = Int(link.hash) & mask == new ? new : old
            links[Int(slot.index)].next = heads[bucket]
            heads[bucket] = slot
            slot = link.next
        }
    }
}
