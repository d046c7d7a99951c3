import Testing

@testable import Broker

@Suite struct CursorTests {
    @Test("a cursor is read back where it was given", arguments: [0, 1, 35, 36, 1_000_000, UInt64(1) << 53])
    func roundTrip(_ seq: UInt64) {
        #expect(Cursor.seq(from: Cursor.text(at: seq, in: "list e1 chat:42"), in: "list e1 chat:42") == seq)
    }

    @Test(
        "a cursor of another list, or none at all, is unknown",
        arguments: ["", ".", "1", "1.", "1.1", "-1.5", "+a.b", "é"])
    func foreign(_ text: String) {
        #expect(Cursor.seq(from: text, in: "list e1 chat:42") == nil)
        #expect(Cursor.seq(from: Cursor.text(at: 7, in: "list e1 chat:42"), in: "list e1 chat:43") == nil)
        #expect(Cursor.seq(from: Cursor.text(at: 7, in: "list e1 chat:42"), in: "list e2 chat:42") == nil)
    }
}
