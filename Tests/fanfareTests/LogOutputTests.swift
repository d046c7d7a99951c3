import Broker
import Glibc
import Testing

@testable import fanfare

/// A log whose reader stands still.
@Suite struct LogOutputTests {
    @Test("lines that find no room are left out, and counted for when there is room again")
    func full() throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while unsafe write(ends[1], filling, filling.count) > 0 {}
        let log = LogOutput(to: ends[1])
        for line in ["one", "two"] { log.write(line, .info) }
        let full = read(ends[0])
        #expect(full.allSatisfy { $0 == "x" }, "what was there before")
        log.write("three", .info)
        let said = read(ends[0]).split(separator: "\n")
        #expect(said.count == 2 && said[0].hasSuffix("left out: 2 lines") && said[1].hasSuffix("three"), "\(said)")
        while unsafe write(ends[1], filling, filling.count) > 0 {}
        log.write("{}", .info, in: .json)
        _ = read(ends[0])
        log.write("{}", .info, in: .json)
        #expect(read(ends[0]).split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "each line is JSON")
    }

    /// All that a pipe has now.
    private func read(_ end: CInt) -> String {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = unsafe Glibc.read(end, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }
}
