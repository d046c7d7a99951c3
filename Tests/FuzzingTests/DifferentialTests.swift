import Foundation
import Fuzzing
import Testing

@Suite("Random streams, beside Python's websockets")
struct DifferentialTests {
    @Test("20,000 streams are read as websockets reads them, or as RFC 6455 wants where it does not")
    func streams() async throws {
        let seed = ProcessInfo.processInfo.environment["FANFARE_SEED"] ?? "\(UInt32.random(in: 0 ... .max))"
        print("streams: FANFARE_SEED=\(seed)")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Differential/streams.py").path()
        var differential = Differential()
        // `Process` knows no descriptor above 1,023, and tests that run beside this one hold thousands.
        let pipe = unsafe try #require(popen("/usr/bin/python3 '\(script)' 20000 '\(seed)'", "re"))
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&bytes, 1, bytes.count, pipe)
            if count == 0 { break }
            try differential.take(Array(bytes[..<count]))
            // Tests that wait for something run beside this one.
            await Task.yield()
        }
        #expect(unsafe pclose(pipe) == 0)
        #expect(differential.isComplete)
        #expect(differential.count == 20_000)
        #expect(differential.differences.isEmpty, "\(differential.differences.prefix(5))")
    }
}
