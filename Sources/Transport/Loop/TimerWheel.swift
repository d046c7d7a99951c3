/// What is told when its time has come.
public protocol TimerHandler: AnyObject {
    /// The time given to `EventLoop.schedule(_:after:)` has passed; called once, on the loop.
    func timerFired(_ now: MonotonicTime)
}

/// Names one scheduled timer, so that it can be cancelled.
public struct TimerToken: Sendable, Hashable {
    let index: Int32
    let generation: UInt32

    /// Names no timer.
    public static let none = TimerToken(index: -1, generation: 0)
}

/// The timers of one loop: scheduling and cancelling cost the same however many there are, and nothing costs while none
/// is due.
///
/// A hierarchical wheel (Varghese and Lauck, 1987) in ticks of 4 ms with six levels of 64 buckets. A timer lies on the
/// level of the highest base-64 digit in which its tick differs from the current one, in the bucket of that digit; when
/// the current tick reaches a bucket of a higher level, its timers move to lower ones.
struct TimerWheel {
    private static let tick: UInt64 = 4_000_000
    private static let digitBits = 6
    private static let buckets = 1 << digitBits
    private static let levels = 6
    /// The last tick that six digits can name: 8.7 years after the loop was made.
    private static let lastTick: UInt64 = (1 << (digitBits * levels)) - 1
    private static let none: Int32 = -1

    private struct Node {
        var handler: (any TimerHandler)?
        var tick: UInt64 = 0
        var generation: UInt32 = 0
        var next = TimerWheel.none
        var previous = TimerWheel.none
        var bucket: Int32 = 0
    }

    private let origin: MonotonicTime
    private var nodes: [Node] = []
    private var free = none
    private var heads = [Int32](repeating: none, count: levels * buckets)
    /// One bit for each bucket of a level that is not empty.
    private var occupied = [UInt64](repeating: 0, count: levels)
    /// The last tick that was handled; every timer's tick is later, save in the middle of `takeDue`.
    private var current: UInt64 = 0
    /// How many timers are scheduled.
    private(set) var count = 0

    init(origin: MonotonicTime) {
        self.origin = origin
    }

    /// Schedules a timer; it fires in the first turn in which the whole duration has passed, at most 4 ms late.
    mutating func schedule(_ handler: any TimerHandler, at time: MonotonicTime) -> TimerToken {
        let distance = time > origin ? time.nanoseconds - origin.nanoseconds : 0
        let tick = min(max(distance / Self.tick + 1, current + 1), Self.lastTick)
        let index = takeNode()
        nodes[index].handler = handler
        nodes[index].tick = tick
        insert(index)
        count += 1
        return TimerToken(index: Int32(index), generation: nodes[index].generation)
    }

    /// Cancels a timer; one that has fired or was cancelled before is ignored.
    mutating func cancel(_ token: TimerToken) {
        let index = Int(token.index)
        guard nodes.indices.contains(index), nodes[index].generation == token.generation else { return }
        remove(index)
    }

    /// When the wheel next wants to be asked for what is due; nil when there is no timer.
    var nextTurn: MonotonicTime? {
        earliest.map { MonotonicTime(nanoseconds: origin.nanoseconds &+ $0.tick &* Self.tick) }
    }

    /// Takes out one timer that is due; nil when there is none left.
    ///
    /// What is scheduled meanwhile is never due at the same time.
    mutating func takeDue(at time: MonotonicTime) -> (any TimerHandler)? {
        let distance = time > origin ? time.nanoseconds - origin.nanoseconds : 0
        let now = min(distance / Self.tick, Self.lastTick)
        while let (level, bucket, tick) = earliest, tick <= now {
            current = tick
            let first = Int(heads[bucket])
            if level == 0 {
                let handler = nodes[first].handler
                remove(first)
                return handler
            }
            moveDown(from: bucket)
        }
        current = max(current, now)
        return nil
    }

    /// The first bucket that is not empty, and the tick at which it begins.
    private var earliest: (level: Int, bucket: Int, tick: UInt64)? {
        guard count > 0 else { return nil }
        for level in 0..<Self.levels where occupied[level] != 0 {
            let digit = occupied[level].trailingZeroBitCount
            let shift = UInt64(Self.digitBits * level)
            let upper = (current >> (shift + 6)) << (shift + 6)
            return (level, level * Self.buckets + digit, upper | (UInt64(digit) << shift))
        }
        return nil
    }

    private mutating func moveDown(from bucket: Int) {
        while heads[bucket] != Self.none {
            let index = Int(heads[bucket])
            unlink(index)
            insert(index)
        }
    }

    private mutating func insert(_ index: Int) {
        // The lowest bit set makes a tick that is the current one level 0.
        let difference = (nodes[index].tick ^ current) | 1
        let level = (63 - difference.leadingZeroBitCount) / Self.digitBits
        let digit = Int(nodes[index].tick >> UInt64(Self.digitBits * level)) & (Self.buckets - 1)
        let bucket = level * Self.buckets + digit
        let head = heads[bucket]
        nodes[index].bucket = Int32(bucket)
        nodes[index].previous = Self.none
        nodes[index].next = head
        if head != Self.none { nodes[Int(head)].previous = Int32(index) }
        heads[bucket] = Int32(index)
        occupied[level] |= 1 << UInt64(digit)
    }

    private mutating func unlink(_ index: Int) {
        let node = nodes[index]
        if node.next != Self.none { nodes[Int(node.next)].previous = node.previous }
        if node.previous != Self.none {
            nodes[Int(node.previous)].next = node.next
        } else {
            let bucket = Int(node.bucket)
            heads[bucket] = node.next
            if node.next == Self.none {
                occupied[bucket / Self.buckets] &= ~(1 << UInt64(bucket % Self.buckets))
            }
        }
    }

    private mutating func remove(_ index: Int) {
        unlink(index)
        nodes[index].handler = nil
        nodes[index].generation &+= 1
        nodes[index].next = free
        free = Int32(index)
        count -= 1
    }

    private mutating func takeNode() -> Int {
        guard free == Self.none else {
            let index = Int(free)
            free = nodes[index].next
            return index
        }
        nodes.appendTightly(Node())
        return nodes.count - 1
    }
}
