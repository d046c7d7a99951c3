import Testing

@testable import LoadGenerator

@Suite struct SummaryLogTests {
    private func text(_ seq: UInt64) -> [UInt8] { Array(#"{"type":"summary","seq":\#(seq),"messages":[]}"#.utf8) }

    private func entered(_ seqs: ClosedRange<UInt64>) -> SummaryLog {
        var log = SummaryLog()
        for seq in seqs {
            let text = text(seq)
            log.enter(DecodedSummary(seq: seq, counts: [.init(place: 1, count: seq)]), of: text.span)
        }
        return log
    }

    private func found(_ text: [UInt8], in log: SummaryLog) -> UInt64? { log.find(text.span)?.seq }

    @Test(arguments: [1, 31, 32, 33, 64, 100] as [UInt64])
    func `The newest summaries are found by their bytes, however far each reader is`(count: UInt64) {
        let log = entered(1...count)
        let capacity = UInt64(SummaryLog.capacity)
        for seq in 1...count {
            #expect(found(text(seq), in: log) == (seq + capacity > count ? seq : nil))
        }
        #expect(found(text(count + 1), in: log) == nil)
    }

    @Test func `Bytes that differ in one place are another summary`() {
        let log = entered(10...12)
        var other = text(11)
        other[other.count - 2] ^= 1
        #expect(found(other, in: log) == nil)
        #expect(found([], in: log) == nil)
        #expect(found([], in: SummaryLog()) == nil)
    }
}
