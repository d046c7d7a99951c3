import Foundation
import Locks

/// A program that was started, with what it has written so far.
///
/// Everything that waits for it has an end: when its time is over the program is ended by force, and whoever waits is told.
final class Program: Sendable {
    struct Ended: Error, CustomStringConvertible {
        var name: String
        var status: Int32
        var errors: String
        var description: String { "\(name) ended with \(status) too early: \(errors)" }
    }

    /// What a program has done by now.
    ///
    /// A program ended by a signal has the signal's number, negative, as its status.
    struct Record: Sendable {
        var output = ""
        var errors = ""
        var status: Int32?
    }

    private struct State {
        var outputBytes = Data()
        var errorBytes = Data()
        var openPipes = 2
        var exitStatus: Int32?
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// The status counts only once both pipes are read to their ends.
        var record: Record {
            Record(
                output: String(decoding: outputBytes, as: UTF8.self),
                errors: String(decoding: errorBytes, as: UTF8.self),
                status: openPipes == 0 ? exitStatus : nil)
        }
    }

    let name: String
    let processID: pid_t
    private let state = Locked(State())

    /// How many times as long everything may take; more than once under a sanitizer.
    private static let slowerTimes = Int(ProcessInfo.processInfo.environment["FANFARE_SLOWER_TIMES"] ?? "") ?? 1

    /// Starts a program that is ended by force after so many seconds, or as many times that as everything may take.
    init(_ path: String, _ words: [String], environment: [String: String] = [:], lives seconds: Int = 300) throws {
        name = URL(filePath: path).lastPathComponent
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let spawned = try spawn(path, words, variables.map { "\($0)=\($1)" })
        processID = spawned.processID
        follow(spawned.output) { $0.outputBytes.append($1) }
        follow(spawned.errors) { $0.errorBytes.append($1) }
        Thread.detachNewThread { [self] in awaitExit() }
        endByForce(after: seconds * Self.slowerTimes)
    }

    /// Reads a pipe to its end, on a thread of its own.
    private func follow(_ pipe: Int32, _ append: @escaping @Sendable (inout State, Data) -> Void) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe read(pipe, &buffer, buffer.count)
                if count > 0 {
                    let data = Data(buffer.prefix(count))
                    update { append(&$0, data) }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(pipe)
            update { $0.openPipes -= 1 }
        }
    }

    /// Waits for the end of the process, and takes its status while nobody sends it a signal.
    private func awaitExit() {
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        update { state in
            var status: Int32 = 0
            while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            state.exitStatus = signal == 0 ? (status >> 8) & 0xFF : -signal
        }
    }

    private func update(_ change: (inout sending State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    private func change(after seen: Record) async {
        await withCheckedContinuation { continuation in
            let isNews = state.withLock { state in
                let now = state.record
                let isNews = now.output != seen.output || now.errors != seen.errors || now.status != seen.status
                if !isNews { state.waiting.append(continuation) }
                return isNews
            }
            if isNews { continuation.resume() }
        }
    }

    /// Waits until `found` finds what it looks for; throws when the program ends before.
    func wait<Value: Sendable>(for found: (Record) -> Value?) async throws -> Value {
        while true {
            let record = state.withLock { $0.record }
            if let value = found(record) { return value }
            if let status = record.status { throw Ended(name: name, status: status, errors: record.errors) }
            await change(after: record)
        }
    }

    /// Waits for the end of the program.
    func end() async -> (status: Int32, record: Record) {
        while true {
            let record = state.withLock { $0.record }
            if let status = record.status { return (status, record) }
            await change(after: record)
        }
    }

    /// Ends the program by force unless it has ended by then, counted in seconds from now.
    func endByForce(after seconds: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            self?.send(SIGKILL)
        }
    }

    /// Sends a signal, if the program still runs.
    func send(_ signal: Int32) {
        state.withLock { state in
            if state.exitStatus == nil { kill(processID, signal) }
        }
    }
}
