internal import Glibc

/// The bytes that wait to be written to one stream, in order.
///
/// Shared bytes are queued by reference; private ones are joined in chunks. An empty queue holds no memory.
struct OutputQueue: ~Copyable {
    /// A run of bytes: those from `start` up to `end` of the storage.
    private struct Segment {
        var storage: ByteStorage
        var start: Int
        var end: Int
    }

    /// Chunks of private bytes begin with this size in bytes; a second one in the same queue is larger.
    private static let smallChunk = 512
    private static let largeChunk = 16 << 10

    private var segments: [Segment] = []
    /// How many segments at the front are written already.
    private var written = 0
    /// How many bytes of room the last segment's private chunk has left.
    private var room = 0
    /// How many bytes wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Queues a range of shared bytes by reference.
    mutating func append(_ bytes: SharedBytes, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        segments.append(Segment(storage: bytes.storage, start: range.lowerBound, end: range.upperBound))
        room = 0
        count += range.count
    }

    /// Queues a copy of the bytes, behind earlier copies where they have room.
    mutating func append(copying bytes: Span<UInt8>) {
        var from = 0
        if room > 0, !segments.isEmpty {
            from = min(room, bytes.count)
            extend(bytes.extracting(..<from))
        }
        guard from < bytes.count else { return }
        let rest = bytes.extracting(from...)
        let chunk = ByteStorage.make(capacity: max(rest.count, count == 0 ? Self.smallChunk : Self.largeChunk))
        segments.append(Segment(storage: chunk, start: 0, end: 0))
        room = chunk.capacity
        extend(rest)
    }

    private mutating func extend(_ bytes: Span<UInt8>) {
        segments[segments.count - 1].storage.append(bytes)
        segments[segments.count - 1].end += bytes.count
        room -= bytes.count
        count += bytes.count
    }

    /// Fills the vector with the runs at the front, as many as fit, and says how many.
    ///
    /// The pointers hold until the queue is next changed.
    func gather(into vector: UnsafeMutableBufferPointer<iovec>) -> Int {
        let runs = min(vector.count, segments.count - written)
        for index in 0..<runs {
            let segment = segments[written + index]
            let length = segment.end - segment.start
            unsafe vector[index] = iovec(iov_base: segment.storage.start + segment.start, iov_len: length)
        }
        return runs
    }

    /// Copies bytes from the front, as many as fit, and leaves them in the queue.
    func copyFront(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var index = written
        while index < segments.count, filled < buffer.count {
            let segment = segments[index]
            let length = min(segment.end - segment.start, buffer.count - filled)
            // Both ends were bounded just now.
            unsafe buffer.baseAddress?.advanced(by: filled)
                .copyMemory(from: segment.storage.start + segment.start, byteCount: length)
            filled += length
            index += 1
        }
        return filled
    }

    /// The first run alone, which needs no copying; nil when nothing waits.
    ///
    /// The pointer holds until the queue is next changed.
    var front: UnsafeRawBufferPointer? {
        guard written < segments.count else { return nil }
        let segment = segments[written]
        return unsafe UnsafeRawBufferPointer(
            start: segment.storage.start + segment.start, count: segment.end - segment.start)
    }

    /// Takes away bytes that were written; the queue gives its memory back when it is empty.
    mutating func removeFirst(_ amount: Int) {
        count -= amount
        guard count > 0 else { return removeAll() }
        var left = amount
        while left > 0 {
            let length = segments[written].end - segments[written].start
            guard length <= left else {
                segments[written].start += left
                break
            }
            left -= length
            written += 1
        }
        // Written segments still hold their bytes; give them back in batches so that the cost per segment is constant.
        if written >= 32, written * 2 >= segments.count {
            segments.removeFirst(written)
            written = 0
        }
    }

    /// Forgets all that waits.
    mutating func removeAll() {
        segments = []
        written = 0
        room = 0
        count = 0
    }
}
