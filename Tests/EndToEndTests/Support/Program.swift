import Foundation
import Synchronization

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
    private let state: Mutex<State>
    private let process: Process

    var processID: pid_t { process.processIdentifier }

    init(_ path: String, _ words: [String], environment: [String: String] = [:], lives seconds: Int = 120) throws {
        let process = Process()
        // Signals that this thread happens to block would stay blocked in the program.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["--default-signal", path] + words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        name = URL(filePath: path).lastPathComponent
        self.process = process
        state = Mutex(State())
        process.terminationHandler = { [weak self] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            self?.update { $0.exitStatus = isSignal ? -process.terminationStatus : process.terminationStatus }
        }
        try process.run()
        follow(output) { $0.outputBytes.append($1) }
        follow(errors) { $0.errorBytes.append($1) }
        endByForce(after: seconds)
    }

    private func follow(_ pipe: Pipe, _ append: @escaping @Sendable (inout State, Data) -> Void) {
        pipe.fileHandleForReading.readabilityHandler = { [self] handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                update { $0.openPipes -= 1 }
            } else {
                update { append(&$0, data) }
            }
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
        let isRunning = state.withLock { $0.exitStatus == nil }
        if isRunning { kill(processID, signal) }
    }
}
