import Glibc
import TestSupport
import Testing

@testable import Transport

/// The queue alone, against a plain array of bytes.
struct OutputQueueTests {
    @Test(arguments: [11, 12, 13, 14, 15] as [UInt64])
    func `random appends and removals agree with an array`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = OutputQueue()
        var model: [UInt8] = []
        for round in 0..<3_000 {
            switch random.next() % 5 {
            case 0, 1:
                let piece = pattern(Int(random.next() % 900), seed: UInt64(round))
                queue.append(copying: piece.span)
                model += piece
            case 2:
                let piece = pattern(Int(random.next() % 900), seed: UInt64(round))
                let from = Int(random.next() % UInt64(piece.count + 1))
                queue.append(SharedBytes(piece), from..<piece.count)
                model += piece[from...]
            default:
                let amount = Int(random.next() % UInt64(model.count + 1))
                queue.removeFirst(amount)
                model.removeFirst(amount)
            }
            #expect(queue.count == model.count, "seed \(seed)")
            #expect(copied(queue, 700) == Array(model.prefix(700)), "seed \(seed)")
            #expect(gathered(queue, 8).elementsEqual(model.prefix(gathered(queue, 8).count)), "seed \(seed)")
            #expect(model.isEmpty == gathered(queue, 1).isEmpty, "seed \(seed)")
        }
    }

    private func copied(_ queue: borrowing OutputQueue, _ most: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe queue.copyFront(into: $0) }
        return Array(bytes[..<count])
    }

    private func gathered(_ queue: borrowing OutputQueue, _ most: Int) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: most) { vector in
            let runs = unsafe queue.gather(into: vector)
            return unsafe vector[..<runs].flatMap {
                unsafe [UInt8](UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len))
            }
        }
    }

    @Test func `copies are joined, and shared bytes are not copied`() {
        var queue = OutputQueue()
        for number in 0..<100 { queue.append(copying: [UInt8(number)].span) }
        #expect(gathered(queue, 1) == Array(0..<100))
        let shared = SharedBytes(pattern(10_000))
        queue.append(shared, 5..<10_000)
        queue.removeFirst(100)
        let same =
            unsafe queue.front?.baseAddress
            == shared.withSpan { span in
                unsafe span.withUnsafeBytes { unsafe $0.baseAddress.map { unsafe $0 + 5 } }
            }
        #expect(same)
    }

    @Test func `shared bytes hold what they were made of`() {
        let bytes = pattern(5_000)
        let shared = SharedBytes(bytes)
        #expect(shared.count == 5_000)
        #expect(shared.withSpan { span in span.indices.allSatisfy { span[$0] == bytes[$0] } })
        #expect(SharedBytes([]).count == 0)
    }
}
