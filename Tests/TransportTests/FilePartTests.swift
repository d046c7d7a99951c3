import Testing

@testable import Transport

@Suite struct FilePartTests {
    @Test(
        "A bound is told in the largest unit that fits",
        arguments: [
            (5, "5 bytes"), (1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (64 << 20, "64 MiB"), (1 << 30, "1 GiB"),
            (1_500, "1500 bytes"),
        ])
    func words(bytes: Int, words: String) {
        #expect(FilePart.words(for: bytes) == words)
    }

    @Test("One of something has no s behind it", arguments: [(0, "0 lines"), (1, "1 line"), (2, "2 lines")])
    func counted(count: Int, words: String) {
        #expect(Transport.counted(count, "line") == words)
    }
}
