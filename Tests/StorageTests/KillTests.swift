import Foundation
import Reactions
import Testing

@testable import Storage

/// What is left after the process was killed in the middle of its writes.
@Suite struct KillTests {
    @Test(arguments: [1, 40, 1_000])
    func `Every answered commit outlives kill -9`(_ answers: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, answers = answers as Int] in
            try Self.commitUntilKilled(path: path, answers: answers)
        }
        let witness = try Data(contentsOf: URL(filePath: path + ".witness"))
        #expect(witness.count >= answers, "so many were answered")
        let store = try SQLiteStore(file: path)
        let image = try await store.load("chat:42")
        #expect(image.seq >= UInt64(witness.count))
        #expect(image.records.count == Int(image.seq), "one entry a seq: no commit is there in part")
        #expect(await store.commit("chat:42", image.seq + 1).isSuccess)
    }

    @Test(arguments: [0, 300, 1_000, 3_000, 6_000, 10_000, 20_000])
    func `A first start that was killed after some microseconds is made up for by the next`(_ delay: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
            _ = try StoreThread {
                usleep(UInt32(delay))
                kill(getpid(), SIGKILL)
            }
            while true { _ = try? SQLiteStore(file: path) }
        }
        let store = try SQLiteStore(file: path)
        #expect(await store.commit("chat:42", 1, [.entry("ada")]).isSuccess)
    }

    /// Commits without end; each answer writes one byte, and the last one kills the process while others wait.
    private static func commitUntilKilled(path: String, answers: Int) throws {
        let store = try SQLiteStore(file: path)
        let witness = unsafe open(path + ".witness", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var seq: UInt64 = 0
        while true {
            seq += 1
            let number = seq
            let write = ChannelWrite(channel: "chat:42", seq: seq, records: [.entry("user-\(seq)", seq: seq)])
            store.commit([write]) { result in
                if result.isSuccess { _ = unsafe Foundation.write(witness, "x", 1) }
                if number == answers { kill(getpid(), SIGKILL) }
            }
        }
    }
}
