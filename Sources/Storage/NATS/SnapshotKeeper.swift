import Locks

/// Says which snapshot of a channel is the newest, in how many parts it is kept, and from where on the log is whole.
struct SnapshotHead: Equatable {
    /// The last entry that is in the snapshot.
    var position: UInt64
    /// When it was made, in Unix milliseconds.
    var at: Int64
    /// How many parts it has.
    var parts: Int
    /// The first entry that may still be read.
    var floor: UInt64

    init(position: UInt64, at: Int64, parts: Int, floor: UInt64) {
        self.position = position
        self.at = at
        self.parts = parts
        self.floor = floor
    }

    /// Its form: the four numbers in decimal digits with a blank between them.
    var bytes: [UInt8] { Array("\(position) \(at) \(parts) \(floor)".utf8) }

    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 4, let position = UInt64(words[0]), let at = Int64(words[1]),
            let parts = Int(words[2]), (1...1_000_000).contains(parts), let floor = UInt64(words[3])
        else { return nil }
        self.init(position: position, at: at, parts: parts, floor: floor)
    }
}

/// Keeps snapshots, on a thread of its own, and lets go of entries behind them.
///
/// The parts come first, then the head that names them, then what it makes superfluous goes. Entries are let go only
/// up to the snapshot before: whoever was away for a moment finds them still in the log.
final class SnapshotKeeper: Sendable {
    private struct Job: Sendable {
        var channel: String
        var position: UInt64
        var bytes: @Sendable () -> [UInt8]
    }

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    /// The least time between two snapshots of a channel, in milliseconds.
    private static let interval: Int64 = 10_000
    /// How many snapshots may wait; more are not made.
    private static let maxJobs = 1_000

    private let link: NATSLink
    private let subjects: NATSSubjects
    private let state = Locked(State())
    private let wake = Semaphore()
    private let thread = Locked<StoreThread?>(nil)

    init(_ link: NATSLink, _ subjects: NATSSubjects) throws(StoreError) {
        self.link = link
        self.subjects = subjects
        let thread = try StoreThread { [self] in work() }
        self.thread.withLock { $0 = thread }
    }

    func keep(_ channel: String, at position: UInt64, _ bytes: @escaping @Sendable () -> [UInt8]) {
        state.withLock { state in
            state.jobs.removeAll { $0.channel == channel }
            guard !state.isClosed, state.jobs.count < SnapshotKeeper.maxJobs else { return }
            state.jobs.append(Job(channel: channel, position: position, bytes: bytes))
        }
        wake.signal()
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.jobs = []
        }
        wake.signal()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func work() {
        while true {
            let (job, isClosed) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
            }
            if isClosed { return }
            if let job { keep(job) } else { wake.wait() }
        }
    }

    private func keep(_ job: Job) {
        guard case .success(let message) = lastOfLeader(subjects.head(of: job.channel)) else { return }
        let old = message.flatMap { SnapshotHead($0.bytes) }
        let now = Int64(SystemClock.unix)
        if let old, old.position >= job.position || now - old.at < SnapshotKeeper.interval { return }
        let bytes = job.bytes()
        let size = max(1, link.maxPayload / 2)
        let parts = (bytes.count + size - 1) / size
        for index in 0..<parts {
            let part = Array(bytes[index * size..<min(bytes.count, (index + 1) * size)])
            guard isStored(part, as: subjects.part(index, of: job.channel, at: job.position), after: nil) else {
                return drop(job.position, of: job.channel)
            }
        }
        // Only in place of the one that was found: of two brokers at once, one is first.
        let head = SnapshotHead(position: job.position, at: now, parts: parts, floor: old?.position ?? 0)
        guard isStored(head.bytes, as: subjects.head(of: job.channel), after: message?.sequence ?? 0) else {
            return drop(job.position, of: job.channel)
        }
        if let old {
            purge(subjects.log(of: job.channel), subjects.entries(of: job.channel), before: old.position)
            drop(old.position, of: job.channel)
        }
    }

    private func isStored(_ bytes: [UInt8], as subject: String, after last: UInt64?) -> Bool {
        let headers = last.map { [("Nats-Expected-Last-Subject-Sequence", String($0))] } ?? []
        if case .success = NATSLog.place(link.wait(for: subject, bytes, headers: headers)) { return true }
        return false
    }

    private func lastOfLeader(_ subject: String) -> Result<StoredMessage?, StoreError> {
        let found = Locked<Result<StoredMessage?, StoreError>>(.success(nil))
        let done = Semaphore()
        link.askLeader(of: subjects.state, lastOf: subject) { result in
            found.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return found.withLock { $0 }
    }

    /// Lets go of a snapshot's parts.
    private func drop(_ position: UInt64, of channel: String) {
        purge(subjects.state, subjects.part(nil, of: channel, at: position), before: nil)
    }

    private func purge(_ stream: String, _ subject: String, before position: UInt64?) {
        let until = position.map { #","seq":\#($0)"# } ?? ""
        _ = link.wait(for: "$JS.API.STREAM.PURGE.\(stream)", Array(#"{"filter":"\#(subject)"\#(until)}"#.utf8))
    }
}
