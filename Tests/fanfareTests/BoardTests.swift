import FanfareClient
import Reactions
import Testing
import Wire

@testable import fanfare

@Suite("The live view")
struct BoardTests {
    private static func board(_ updates: [ChannelUpdate] = []) -> Board {
        var board = Board(channel: "chat:42", mode: .events, clock: WallClock(offset: 3600) { 0 })
        for update in [.connection(.connected(user: "ada"))] + updates { board.take(update) }
        return board
    }

    private static func texts(_ board: Board, width: Int = 80, height: Int = 24) -> [String] {
        board.rows(width: width, height: height).map { $0.pieces.map(\.text).joined(separator: " ") }
    }

    @Test("shows counts as bars, the most first, newest messages first")
    func bars() {
        let view = view([("m1", [group(thumb, 4), group(parrot, 8)]), ("", [group(heart, 1)])])
        let texts = Self.texts(Self.board([snapshot(view)]), width: 40)
        #expect(texts[0] == "● chat:42 connected as ada")
        #expect(texts[2] == "m1 12")
        let full = 40 - 15 - 1 - 2
        #expect(texts[3] == "party_parrot \(String(repeating: "█", count: full)) 8")
        #expect(texts[4] == "👍 \(String(repeating: "█", count: full / 2)) 4")
        #expect(texts[5] == "(the channel) 1")
        #expect(texts[6].hasPrefix("❤️ █"))
    }

    @Test("shows the newest events beneath, the last one on top, in local time")
    func newest() {
        let board = Self.board([
            snapshot(view([])), .event(change(.added(group(thumb, 3), byCount: nil, data: nil))),
            .event(change(.removed(group(thumb, 2), byCount: nil), seq: 21, message: "", user: nil)),
        ])
        let texts = Self.texts(board)
        #expect(texts.suffix(3) == ["newest", "01:00:01 removed 👍: 2", "01:00:01 ada added 👍 on m1: 3"])
        #expect(texts.count == 24)
    }

    @Test(
        "says how it stands with the broker",
        arguments: [
            (.connecting, "● chat:42 connecting…"), (.connected(user: nil), "● chat:42 connected"),
            (
                .waiting(retryAfter: .milliseconds(2340), .silent),
                "● chat:42 nothing was heard for too long; again in 2.3 s"
            ),
            (.closed(.requested), "● chat:42 closed"),
        ] as [(ConnectionState, String)])
    func state(_ state: ConnectionState, _ text: String) {
        #expect(Self.texts(Self.board([.connection(state)]))[0].hasPrefix(text))
    }

    @Test("adds up what an ephemeral channel counts")
    func bursts() {
        let burst = Burst(
            message: "m1", counts: [ReactionCount(reaction: thumb, count: 150)], windowMilliseconds: 100, at: 0)
        let texts = Self.texts(Self.board([snapshot(view([])), .burst(burst), .burst(burst)]))
        #expect(texts[2] == "m1 300")
        #expect(texts[3].hasSuffix(" 300"))
        #expect(texts.last == "01:00:00 👍 ×150 on m1")
    }

    @Test("tells what there is no room for")
    func overflow() {
        let view = view((1...50).map { ("m\($0)", [group(thumb, 1)]) })
        let texts = Self.texts(Self.board([snapshot(view)]), height: 12)
        #expect(texts.count <= 12)
        #expect(texts.last == "… and 46 more messages")
    }

    @Test("fits into any screen, piece beside piece")
    func fits() {
        let groups = [
            group(thumb, 1 << 53), group(heart, 3), group(parrot, 1), group(Reactions.Reaction(canonical: "👨‍👩‍👧‍👦"), 99),
        ]
        let messages = (1...9).map { (String(repeating: "m\($0)", count: $0 * 5), groups) }
        var updates = [snapshot(view(messages))]
        updates += (1...30).map { seq in
            .event(change(.added(group(parrot, 1), byCount: nil, data: nil), seq: 20 + seq))
        }
        updates.append(.connection(.waiting(retryAfter: .seconds(3), .unreachable("connect: Connection refused"))))
        let board = Self.board(updates)
        for width in 0...100 {
            for height in [0, 1, 2, 3, 5, 10, 24, 60] {
                let rows = board.rows(width: width, height: height)
                #expect(rows.count <= height)
                for row in rows { expectFit(row, width: width) }
            }
        }
    }

    private func expectFit(_ row: Row, width: Int) {
        var end = 0
        for piece in row.pieces {
            #expect(piece.column >= end, "\(row)")
            end = piece.column + cellWidth(piece.text)
        }
        #expect(end <= width, "\(row)")
    }

    @Test("draws each piece at its column, with colours only where they are wanted")
    func drawing() {
        var row = Row()
        row.put("👍", at: 2, before: 10)
        row.put("██", at: 5, before: 10, .bar)
        var text = ""
        row.append(to: &text, colors: true)
        #expect(text == "\u{1B}[2K\u{1B}[3G👍\u{1B}[6G\u{1B}[36m██\u{1B}[0m")
        text = ""
        row.append(to: &text, colors: false)
        #expect(text == "\u{1B}[2K\u{1B}[3G👍\u{1B}[6G██")
    }

    @Test(
        "knows the time of day",
        arguments: [
            (0, 0, "00:00:00"), (3_661_000, 0, "01:01:01"), (0, -3600, "23:00:00"), (86_399_000, 3600, "00:59:59"),
            (-1000, 0, "23:59:59"),
        ] as [(Int64, Int, String)])
    func clock(_ milliseconds: Int64, _ offset: Int, _ text: String) {
        #expect(WallClock(offset: offset) { 0 }.time(ofDay: milliseconds) == text)
    }

    @Test("shows some time for any number", arguments: [Int64.min, Int64.max])
    func anyTime(_ milliseconds: Int64) {
        #expect(WallClock(offset: -50_400) { 0 }.time(ofDay: milliseconds).count == 8)
    }
}
