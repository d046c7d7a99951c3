import Foundation
import Testing
import Transport

@testable import Broker

/// Who may come in while memory is short.
@Suite struct MemoryGuardTests {
    /// A process that has as many pages in RAM as a file says.
    private final class Process: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-guard-\(UUID().uuidString)")
        let returns = Locked(0)

        init() throws {
            try FileManager.default.createDirectory(
                at: folder.appending(path: "proc/self"), withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func has(_ bytes: Int) throws {
            let pages = bytes / Int(sysconf(Int32(_SC_PAGESIZE)))
            try Data("9 \(pages) 0\n".utf8).write(to: folder.appending(path: "proc/self/statm"))
        }

        func makeGuard() -> MemoryGuard {
            MemoryGuard(MemoryReader(root: folder.path(), machineBytes: 1_024_000_000)) { [self] in
                returns.withLock { $0 += 1 }
            }
        }
    }

    private func time(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
    }

    @Test("above memory_percent of the memory there is a shortage, and below it none any more")
    func shortage() throws {
        let process = try Process()
        let memory = process.makeGuard()
        var limits = BrokerSettings.Limits()
        limits.memoryPercent = 50
        try process.has(512_000_000)
        #expect(memory.shortage(limits, at: time(0)) == nil)
        try process.has(520_000_000)
        let shortage = try #require(memory.shortage(limits, at: time(200)))
        #expect(shortage.limit == 1_024_000_000 && MemoryGuard.name(of: shortage) == .memoryPercent)
        try process.has(100_000_000)
        #expect(memory.shortage(limits, at: time(400)) == nil)
    }

    @Test("memory_bytes is what 100 % are, and a change of it counts at once")
    func own() throws {
        let process = try Process()
        let memory = process.makeGuard()
        var limits = BrokerSettings.Limits()
        try process.has(400_000_000)
        #expect(memory.shortage(limits, at: time(0)) == nil)
        limits.memoryBytes = 409_600_000
        let shortage = try #require(memory.shortage(limits, at: time(1)))
        #expect(shortage.limit == 409_600_000 && MemoryGuard.name(of: shortage) == .memoryBytes)
        limits.memoryPercent = 100
        #expect(memory.shortage(limits, at: time(2)) == nil)
        limits.memoryBytes = 1_000_000
        #expect(memory.use(limits, at: time(3)).share > 1)
        #expect(memory.shortage(limits, at: time(3)) == nil, "100 is no bound")
    }

    @Test("a look counts for a tenth of a second")
    func looks() throws {
        let process = try Process()
        let memory = process.makeGuard()
        let limits = BrokerSettings.Limits()
        try process.has(1_000_000_000)
        #expect(memory.shortage(limits, at: time(0)) != nil)
        try process.has(1_000_000)
        #expect(memory.shortage(limits, at: time(99)) != nil)
        #expect(memory.shortage(limits, at: time(100)) == nil)
    }

    @Test("while there is a shortage, free memory is given back once in ten seconds; without one, never")
    func givesBack() throws {
        let process = try Process()
        let memory = process.makeGuard()
        let limits = BrokerSettings.Limits()
        try process.has(1_000_000)
        _ = memory.shortage(limits, at: time(0))
        #expect(process.returns.withLock { $0 } == 0)
        try process.has(1_000_000_000)
        for milliseconds in stride(from: UInt64(1_000), to: 20_000, by: 500) {
            #expect(memory.shortage(limits, at: time(milliseconds)) != nil)
        }
        #expect(process.returns.withLock { $0 } == 2)
    }
}
