import TestSupport
import Testing

@testable import WebSocket

@Suite("UTF-8 in pieces (RFC 6455 section 8.1)")
struct UTF8CheckerTests {
    @Test("Random mutations, cut anywhere, are judged as the standard library judges them whole")
    func agreesWithStandardLibrary() {
        var generator = SeededGenerator()
        for _ in 0..<10_000 {
            let bytes = mutatedText(using: &generator)
            var checker = UTF8Checker()
            let accepted = bytes.pieces(using: &generator).allSatisfy { checker.accept($0.span) }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((accepted && checker.isComplete) == isValid, "\(bytes)")
        }
    }

    @Test("Long texts with a few other characters than ASCII, mutated, are judged as the standard library judges them")
    func longTexts() {
        var generator = SeededGenerator()
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                bytes += [UInt8](repeating: 0x61, count: Int.random(in: 0...70, using: &generator))
                bytes += mutatedText(using: &generator).prefix(Int.random(in: 0...9, using: &generator))
            }
            #expect(UTF8.isValid(bytes.span) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test("Text is refused at the first byte after which no valid text can follow")
    func refusesAtOnce() {
        var generator = SeededGenerator()
        for _ in 0..<3_000 {
            let bytes = mutatedText(using: &generator)
            var checker = UTF8Checker()
            let accepted = bytes.firstIndex { !checker.accept([$0].span) } ?? bytes.count
            #expect(accepted == viablePrefix(of: bytes), "\(bytes)")
        }
    }

    @Test("Every lead byte with every second byte, together and apart")
    func allPairs() {
        var wrong: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                var whole = UTF8Checker()
                var split = UTF8Checker()
                let isViable = viablePrefix(of: [first, second]) == 2
                let isSplitAccepted = split.accept([first].span) && split.accept([second].span)
                if whole.accept([first, second].span) != isViable || isSplitAccepted != isViable {
                    wrong.append([first, second])
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    private func mutatedText(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array([UInt8](randomText(using: &generator)).prefix(40))
        let interesting: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xFF,
        ]
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = interesting.randomElement(using: &generator) ?? 0
        }
        return bytes
    }

    /// How many bytes may begin a valid text, found by trying to complete it with every kind of ending.
    private func viablePrefix(of bytes: [UInt8]) -> Int {
        let endings: [[UInt8]] = [
            [], [0x80], [0xA0], [0x80, 0x80], [0xA0, 0x80], [0x90, 0x80, 0x80], [0x80, 0x80, 0x80],
        ]
        var count = 0
        while count < bytes.count {
            let prefix = bytes[...count]
            guard endings.contains(where: { String(validating: prefix + $0, as: UTF8.self) != nil }) else { break }
            count += 1
        }
        return count
    }
}
