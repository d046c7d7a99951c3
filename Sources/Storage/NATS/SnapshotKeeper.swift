import Locks

/// Says which snapshot of a channel is the newest, in how many parts it is kept, and from where on the log is whole.
struct SnapshotHead: Equatable {
    /// The last entry that is in the snapshot.
    var position: UInt64
    /// When it was made, in Unix milliseconds.
    var at: Int64
    /// The first entry that may still be read.
    var floor: UInt64
    /// Where its parts stand in their stream.
    var places: [UInt64]

    /// How many parts it has.
    var parts: Int { places.count }

    init(position: UInt64, at: Int64, floor: UInt64, places: [UInt64]) {
        self.position = position
        self.at = at
        self.floor = floor
        self.places = places
    }

    /// Its form: numbers in decimal digits, with a blank between them, and between the places a comma.
    var bytes: [UInt8] {
        Array("\(position) \(at) \(floor) \(places.map(String.init).joined(separator: ","))".utf8)
    }

    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 4, let position = UInt64(words[0]), let at = Int64(words[1]), let floor = UInt64(words[2])
        else { return nil }
        let places = words[3].split(separator: ",", omittingEmptySubsequences: false).map { UInt64($0) }
        guard !places.contains(nil) else { return nil }
        self.init(position: position, at: at, floor: floor, places: places.compactMap(\.self))
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

    /// The least time between two snapshots of a channel, in milliseconds: of one with many parts, which cost more than the
    /// log that they free, and for each part of others.
    private static let interval: Int64 = 10_000
    private static let intervalPerPart: Int64 = 1_000
    /// The least time for each part of one with very many, in milliseconds: whoever reads them gets to the last before they
    /// are replaced.
    private static let readingPerPart: Int64 = 100
    /// How many entries are looked for at a time that nobody who is here has heard of.
    private static let mostSwept = 1_000
    /// How often a head is looked for that may have been taken, and the pause that grows with each look, in milliseconds.
    private static let mostLooks = 5
    private static let pausePerLook = 200
    /// How many snapshots may wait; more are not made.
    private static let maxJobs = 1_000

    private let link: NATSLink
    private let subjects: NATSSubjects
    private let places: EntryPlaces
    private let state = Locked(State())
    private let wake = Semaphore()
    private let thread = Locked<StoreThread?>(nil)

    init(_ link: NATSLink, _ subjects: NATSSubjects, _ places: EntryPlaces) throws(StoreError) {
        self.link = link
        self.subjects = subjects
        self.places = places
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
        guard case .success(let message) = newestHead(of: job.channel) else { return }
        let old = message.flatMap { SnapshotHead($0.bytes) }
        let now = Int64(SystemClock.unix)
        if let old, !isDue(job, after: old, at: now) { return }
        guard let parts = store(job) else { return }
        // Replicas of NATS 2.9 were seen to differ after it had refused something, so no head is sent that is known to be late.
        guard case .success(let again) = newestHead(of: job.channel), again?.sequence == message?.sequence else {
            return drop(parts)
        }
        let head = SnapshotHead(position: job.position, at: now, floor: old?.position ?? 0, places: parts)
        switch put(head, of: job.channel, after: message?.sequence ?? 0) {
        case true?:
            guard let old else { return }
            letGo(of: job.channel, before: old.position)
            drop(old.places)
        case false?: drop(parts)
        // A head that names them may be there, or come yet.
        case nil: break
        }
    }

    /// For how long a snapshot of so many parts is kept at least, in milliseconds.
    static func leastTime(parts: Int) -> Int64 {
        max(min(Int64(1 + parts) * intervalPerPart, interval), Int64(parts) * readingPerPart)
    }

    /// Whether a snapshot is worth it; a broker's clock that was wrong for a moment holds up nothing.
    private func isDue(_ job: Job, after old: SnapshotHead, at now: Int64) -> Bool {
        old.position < job.position && (now &- old.at).magnitude >= UInt64(Self.leastTime(parts: old.parts))
    }

    /// Stores a snapshot's parts.
    ///
    /// - Returns: Where they stand; `nil` where that failed, and nothing is left of it.
    private func store(_ job: Job) -> [UInt64]? {
        let bytes = job.bytes()
        let size = max(1, link.maxPayload / 2)
        var stored: [UInt64] = []
        for index in 0..<max(1, (bytes.count + size - 1) / size) {
            let part = Array(bytes[min(bytes.count, index * size)..<min(bytes.count, (index + 1) * size)])
            guard case .success(let place) = store(part, as: subjects.part(index, of: job.channel, at: job.position))
            else {
                drop(stored)
                return nil
            }
            stored.append(place)
        }
        return stored
    }

    /// Puts a head in the place of the one that was found, and of no other: of two brokers at once, one is first.
    ///
    /// - Returns: Whether it was taken; `nil` where nobody knows.
    private func put(_ head: SnapshotHead, of channel: String, after last: UInt64) -> Bool? {
        let condition = [("Nats-Expected-Last-Subject-Sequence", String(last))]
        if case .success = store(head.bytes, as: subjects.head(of: channel), headers: condition) { return true }
        // It may have been taken though nobody said so, or by other servers than the one that refused it.
        for look in 1...SnapshotKeeper.mostLooks where !state.withLock({ $0.isClosed }) {
            if case .success(let found?) = newestHead(of: channel), found.sequence > last {
                return SnapshotHead(found.bytes) == head
            }
            Semaphore().wait(milliseconds: look * SnapshotKeeper.pausePerLook)
        }
        return nil
    }

    private func newestHead(of channel: String) -> Result<StoredMessage?, StoreError> {
        link.waitLeader(of: subjects.state, #"{"last_by_subj":"\#(subjects.head(of: channel))"}"#)
    }

    private func store(
        _ bytes: [UInt8], as subject: String, headers: [(String, String)] = []
    ) -> Result<UInt64, AppendFailure> {
        NATSLog.place(link.wait(for: subject, bytes, headers: headers))
    }

    /// Lets go of a snapshot's parts.
    private func drop(_ parts: [UInt64]) {
        Deletion(link, from: subjects.state).delete(parts)
    }

    /// Lets go of a channel's entries before a place: those that this broker has heard of, and what is left by others.
    private func letGo(of channel: String, before end: UInt64) {
        let deletion = Deletion(link, from: subjects.log(of: channel))
        guard deletion.delete(places.take(channel, before: end)) else { return }
        deletion.sweep(subjects.entries(of: channel), before: end, atMost: SnapshotKeeper.mostSwept)
    }
}
