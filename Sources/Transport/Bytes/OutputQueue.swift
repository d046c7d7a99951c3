internal import Glibc

/// The bytes that wait to be written to one stream, in order.
///
/// Shared bytes are queued by reference; private ones are joined in chunks. An empty queue holds no memory.
struct OutputQueue: ~Copyable {
    /// A run of bytes: those from `start` up to `end` of the storage, which is below 4 GiB.
    private struct Segment {
        var storage: ByteStorage
        var start: UInt32
        var end: UInt32

        var count: Int { Int(end - start) }

        var run: UnsafeMutablePointer<UInt8> { unsafe storage.start + Int(start) }
    }

    /// Chunks of private bytes begin with this size in bytes; a second one in the same queue is larger.
    private static let smallChunk = 512
    private static let largeChunk = 16 << 10

    // Every stream has a queue, so the numbers are kept small.
    /// What is written next.
    ///
    /// Most queues never hold more than that, and then need no array.
    private var first: Segment?
    /// What comes behind it, from `written` on.
    private var rest: [Segment] = []
    private var writtenCount: UInt32 = 0
    private var roomBytes: UInt32 = 0
    /// How many bytes wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many segments of the rest are written already, or stand in front.
    private var written: Int {
        get { Int(writtenCount) }
        set { writtenCount = UInt32(newValue) }
    }

    /// How many bytes of room the last segment's private chunk has left.
    private var room: Int {
        get { Int(roomBytes) }
        set { roomBytes = UInt32(clamping: newValue) }
    }

    /// Queues a range of shared bytes by reference.
    mutating func append(_ bytes: SharedBytes, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        append(Segment(storage: bytes.storage, start: UInt32(range.lowerBound), end: UInt32(range.upperBound)))
        room = 0
        count += range.count
    }

    /// Queues a copy of the bytes, behind earlier copies where they have room.
    mutating func append(copying bytes: Span<UInt8>) {
        var from = 0
        if room > 0 {
            from = min(room, bytes.count)
            extend(bytes.extracting(..<from))
        }
        guard from < bytes.count else { return }
        let left = bytes.extracting(from...)
        let chunk = ByteStorage.make(capacity: max(left.count, count == 0 ? Self.smallChunk : Self.largeChunk))
        append(Segment(storage: chunk, start: 0, end: 0))
        room = chunk.capacity
        extend(left)
    }

    private mutating func append(_ segment: Segment) {
        if first == nil { first = segment } else { rest.append(segment) }
    }

    /// Adds bytes to the last segment, which has room for them.
    private mutating func extend(_ bytes: Span<UInt8>) {
        if rest.isEmpty {
            first?.storage.append(bytes)
            first?.end += UInt32(bytes.count)
        } else {
            rest[rest.count - 1].storage.append(bytes)
            rest[rest.count - 1].end += UInt32(bytes.count)
        }
        room -= bytes.count
        count += bytes.count
    }

    /// Fills the vector with the runs at the front, as many as fit, and says how many.
    ///
    /// The pointers hold until the queue is next changed.
    func gather(into vector: UnsafeMutableBufferPointer<iovec>) -> Int {
        guard let first, vector.count > 0 else { return 0 }
        unsafe vector[0] = iovec(iov_base: first.run, iov_len: first.count)
        let runs = min(vector.count, 1 + rest.count - written)
        for index in 1..<max(1, runs) {
            let segment = rest[written + index - 1]
            unsafe vector[index] = iovec(iov_base: segment.run, iov_len: segment.count)
        }
        return runs
    }

    /// Copies bytes from the front, as many as fit, and leaves them in the queue.
    func copyFront(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var index = written
        var next = first
        while let segment = next, filled < buffer.count {
            let length = min(segment.count, buffer.count - filled)
            // Both ends were bounded just now.
            unsafe buffer.baseAddress?.advanced(by: filled).copyMemory(from: segment.run, byteCount: length)
            filled += length
            next = index < rest.count ? rest[index] : nil
            index += 1
        }
        return filled
    }

    /// The first run alone, which needs no copying; nil when nothing waits.
    ///
    /// The pointer holds until the queue is next changed.
    var front: UnsafeRawBufferPointer? {
        guard let first else { return nil }
        return unsafe UnsafeRawBufferPointer(start: first.run, count: first.count)
    }

    /// Takes away bytes that were written; the queue gives its memory back when it is empty.
    mutating func removeFirst(_ amount: Int) {
        count -= amount
        guard count > 0 else { return removeAll() }
        var left = amount
        while let segment = first, left > 0 {
            guard segment.count <= left else {
                first?.start += UInt32(left)
                break
            }
            left -= segment.count
            first = written < rest.count ? rest[written] : nil
            written += 1
        }
        if written >= rest.count {
            rest.removeAll(keepingCapacity: true)
            written = 0
        } else if written >= 32, written * 2 >= rest.count {
            // Written segments still hold their bytes; they go in batches, so that the cost for each is constant.
            rest.removeFirst(written)
            written = 0
        }
    }

    /// Forgets all that waits.
    mutating func removeAll() {
        first = nil
        rest = []
        written = 0
        room = 0
        count = 0
    }
}
