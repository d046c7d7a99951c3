import Dispatch
import Glibc
import Transport

/// The file of `tokens.jwks_file`, with the keys that it had when it was last read.
///
/// It is looked at again when a token names a key that is not there, and now and then besides; it is read again only when
/// it has changed. A file that is wrong then leaves the keys as they were.
public final class TokenKeyFile: Sendable {
    /// Why a file cannot be used: one line for a person, with the place.
    public struct Failure: Error, Sendable, Equatable {
        /// The line.
        public var words: String
    }

    /// What tells one content of the file from another without reading it.
    fileprivate struct Stamp: Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    fileprivate struct State {
        var set: TokenKeySet
        /// That of the content that was last read, whether or not it could be used.
        var stamp: Stamp?
        var lookedAt: MonotonicTime
        var looks = TokenBucket()
        /// The look that is under way.
        var look: Look?
    }

    /// A look at the file, on another thread: it may be in a network folder that never answers.
    fileprivate struct Look {
        /// Is empty when it has ended.
        let end = DispatchGroup()
        /// How long anybody waits for that.
        let limit: DispatchTime
    }

    /// The largest file, in bytes.
    static let maxBytes = 1_048_576
    /// How long keys that are gone from the file are taken at most, where nothing else has it looked at.
    static let patience = Duration.seconds(30)
    /// How often tokens with a `kid` of no key may have it looked at.
    fileprivate static let looks = Rate(perSecond: 100, burst: 10)

    /// Where it is.
    public let path: String
    private let log: BrokerLog
    private let state: Locked<State>

    /// How long a loop waits for a look at it, at most.
    private let waitsAtMost: DispatchTimeInterval

    /// Reads a file; what is said of it later goes to `log`.
    public convenience init(path: String, log: BrokerLog) throws(Failure) {
        try self.init(path: path, log: log, waitsAtMost: .seconds(1))
    }

    init(path: String, log: BrokerLog, waitsAtMost: DispatchTimeInterval) throws(Failure) {
        self.path = path
        self.log = log
        self.waitsAtMost = waitsAtMost
        let stamp = TokenKeyFile.stamp(of: path)
        state = Locked(State(set: try TokenKeyFile.read(path), stamp: stamp, lookedAt: .now))
    }

    /// What was last read.
    public var set: TokenKeySet { state.withLock { $0.set } }

    /// The keys that a token may have been signed with.
    func keys(for algorithm: TokenAlgorithm, id: String?, now: MonotonicTime = .now) -> [VerificationKey] {
        let isDue = state.withLock { $0.mustLook(now) }
        if isDue { look() }
        let (found, mayLook) = state.withLock { state in
            let found = state.set.keys(for: algorithm, id: id)
            return (found, found.isEmpty && id != nil && state.mayLook(now))
        }
        guard mayLook else { return found }
        look()
        return state.withLock { $0.set.keys(for: algorithm, id: id) }
    }

    /// Has the file looked at, and waits for that, or for the look that is under way, but not for long.
    private func look() {
        let (look, isMine) = state.withLock { state in
            if let look = state.look { return (look, false) }
            let look = Look(limit: .now() + waitsAtMost)
            state.look = look
            return (look, true)
        }
        if isMine { DispatchQueue.global().async(group: look.end) { [self] in readAgain() } }
        if look.end.wait(timeout: look.limit) == .timedOut, isMine {
            log.error("the keys stay as they were: the key set '\(path)' does not answer")
        }
    }

    /// Reads the file again where it has changed.
    private func readAgain() {
        defer { state.withLock { $0.look = nil } }
        guard let stamp = TokenKeyFile.stamp(of: path), stamp != state.withLock({ $0.stamp }) else { return }
        state.withLock { $0.stamp = stamp }
        do throws(Failure) {
            let set = try TokenKeyFile.read(path)
            state.withLock { $0.set = set }
            log.info("the keys of \(path) were read again: \(set.keys.count) can be used")
            for remark in set.remarks { log.warning("\(path):\(remark.line): \(remark.words)") }
        } catch {
            log.error("the keys stay as they were: \(error.words)")
        }
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    /// Reads the keys, of which one at least must be usable.
    private static func read(_ path: String) throws(Failure) -> TokenKeySet {
        let set = try decode(path)
        guard !set.keys.isEmpty else {
            let reasons = set.remarks.map { "line \($0.line): \($0.words)" }
            throw Failure(words: (["\(path) has no key that could be used"] + reasons).joined(separator: "; "))
        }
        return set
    }

    private static func decode(_ path: String) throws(Failure) -> TokenKeySet {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) { bytes = try RegularFile.bytes(at: path, atMost: maxBytes) } catch {
            throw Failure(words: "the key set '\(path)' cannot be read: \(error)")
        }
        do throws(SettingsError) { return try TokenKeySet(bytes) } catch {
            throw Failure(words: "\(path):\(error.line): \(error.reason)")
        }
    }
}

extension TokenKeyFile.State {
    /// Whether it is time to look in any case; then this counts as the time of the look.
    fileprivate mutating func mustLook(_ now: MonotonicTime) -> Bool {
        guard now - lookedAt >= TokenKeyFile.patience else { return false }
        lookedAt = now
        return true
    }

    /// Whether one more look may be had because of a key that is not there; then this counts as the time of it.
    fileprivate mutating func mayLook(_ now: MonotonicTime) -> Bool {
        let clock = Int64(clamping: now.nanoseconds)
        guard looks.wait(at: clock, TokenKeyFile.looks) == nil else { return false }
        looks.take(at: clock, TokenKeyFile.looks)
        lookedAt = now
        return true
    }
}

extension TokenKeySet {
    /// The keys of an algorithm: those with the id, or all where a token names none.
    fileprivate func keys(for algorithm: TokenAlgorithm, id: String?) -> [VerificationKey] {
        keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
    }
}
