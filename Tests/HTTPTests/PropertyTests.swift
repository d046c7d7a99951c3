import TestSupport
import Testing

@testable import HTTP

@Suite("Properties of random requests")
struct PropertyTests {
    private static let requests = [
        "GET /v1/ws?token=a.b.c HTTP/1.1\r\nHost: a:1\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\r\n",
        "\r\nPUT http://h/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX-Ünï:\t\u{1F389} \r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: [::1]:80\r\nExpect: 100-continue\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    ]

    @Test("A head fed byte by byte equals a head fed whole", arguments: requestLineRefusals + fieldRefusals)
    func byteByByte(_ refusal: Refusal) {
        let bytes = Array([UInt8](refusal.text).prefix(17_000))
        // A whole head is looked at once more for each byte, so long ones are cut coarsely.
        let cuts = Array(stride(from: 0, to: bytes.count, by: bytes.count > 1_000 ? 97 : 1))
        #expect(parse(bytes, cuts: cuts).summary == parse(bytes).summary)
    }

    @Test("Random mutations never trap, and the outcome does not depend on the cuts")
    func mutations() throws {
        var generator = SeededGenerator()
        let interesting = [UInt8](" \t\r\n:,;/?%#0aHc\u{0}\u{7F}") + [0xFF, 0xC3]
        for _ in 0..<4_000 {
            var bytes = [UInt8](try #require(Self.requests.randomElement(using: &generator)))
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                let byte = try #require(interesting.randomElement(using: &generator))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: bytes.remove(at: index)
                }
            }
            let limits = HTTPLimits(maxHeadBytes: 120, maxFields: 4, maxTargetBytes: 20)
            let cuts = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                Int.random(in: 0...bytes.count, using: &generator)
            }
            let whole = parse(bytes, limits: limits)
            #expect(parse(bytes, limits: limits, cuts: cuts.sorted()).summary == whole.summary)
            #expect(parse(bytes, limits: limits, cuts: Array(bytes.indices)).summary == whole.summary)
            _ = whole.head.map { Target($0.target) }
        }
    }

    @Test("A head that was read has none of the shapes that smuggle requests")
    func noSmuggling() {
        var generator = SeededGenerator()
        let fields = [
            "Host: a", "Content-Length: 1", "Content-Length: 2", "Content-Length : 1", "Transfer-Encoding: chunked",
            "Transfer-Encoding: x", "Transfer-Encoding:\u{B}chunked", " folded", "X: y",
        ]
        for _ in 0..<2_000 {
            let chosen = (0..<4).map { _ in fields.randomElement(using: &generator) ?? "" }
            let end = Bool.random(using: &generator) ? "\r\n" : "\n"
            let text = "GET / HTTP/1.1\r\n" + chosen.joined(separator: "\r\n") + end + "\r\n"
            let isGood =
                end == "\r\n" && chosen.filter { $0 == "Host: a" }.count == 1
                && Set(chosen).isDisjoint(with: [fields[3], fields[5], fields[6], fields[7]])
                && chosen.filter { [fields[1], fields[2], fields[4]].contains($0) }.count <= 1
            #expect((parse(text).head != nil) == isGood, "\(chosen)")
        }
    }

    @Test("Chunks of any size, cut anywhere, give the body back")
    func chunks() {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            var (body, bytes): ([UInt8], [UInt8]) = ([], [])
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let chunk = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                body += chunk
                let size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &generator))
                bytes += [UInt8]("\(size)\r\n") + chunk + [UInt8]("\r\n")
            }
            bytes += [UInt8]("0\r\n\r\n")
            let expected = Body(bytes: body, consumed: bytes.count, isComplete: true)
            #expect(read(pieces(bytes + [1, 2], using: &generator), after: chunkedHead) == expected)
        }
    }

    @Test("Mutated chunks never trap, and the outcome does not depend on the cuts")
    func mutatedChunks() {
        var generator = SeededGenerator()
        for _ in 0..<3_000 {
            var bytes = [UInt8]("5;a=b\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nX: y\r\n\r\n")
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] =
                    Bool.random(using: &generator)
                    ? [UInt8]("\r\n;0fF \u{0}")[index % 8] : UInt8.random(in: 0...255, using: &generator)
            }
            let whole = read([bytes], after: chunkedHead, limit: 40)
            let cut = read(pieces(bytes, using: &generator), after: chunkedHead, limit: 40)
            #expect(whole.status == cut.status)
            if whole.status == nil { #expect(whole == cut) }
        }
    }

    private func pieces(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [[UInt8]] {
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...12, using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
