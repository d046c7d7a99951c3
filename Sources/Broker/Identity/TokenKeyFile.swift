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
    private struct Stamp: Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    private struct State {
        var set: TokenKeySet
        /// That of the content that was last read, whether or not it could be used.
        var stamp: Stamp?
        var lookedAt: MonotonicTime
        var looks = TokenBucket()
    }

    /// The largest file, in bytes.
    static let maxBytes = 1_048_576
    /// How long keys that are gone from the file are taken at most, where nothing else has it looked at.
    static let patience = Duration.seconds(30)
    /// How often tokens with a `kid` of no key may have it looked at.
    private static let looks = Rate(perSecond: 100, burst: 10)

    /// Where it is.
    public let path: String
    private let log: BrokerLog
    private let state: Locked<State>

    /// Reads a file; what is said of it later goes to `log`.
    public init(path: String, log: BrokerLog) throws(Failure) {
        self.path = path
        self.log = log
        let stamp = TokenKeyFile.stamp(of: path)
        state = Locked(State(set: try TokenKeyFile.read(path), stamp: stamp, lookedAt: .now))
    }

    /// What was last read.
    public var set: TokenKeySet { state.withLock { $0.set } }

    /// The keys that a token may have been signed with.
    func keys(for algorithm: TokenAlgorithm, id: String?, now: MonotonicTime = .now) -> [VerificationKey] {
        state.withLock { state in
            if now - state.lookedAt >= TokenKeyFile.patience { look(&state, now) }
            var found = state.set.keys(for: algorithm, id: id)
            let clock = Int64(clamping: now.nanoseconds)
            if found.isEmpty, id != nil, state.looks.wait(at: clock, TokenKeyFile.looks) == nil {
                state.looks.take(at: clock, TokenKeyFile.looks)
                look(&state, now)
                found = state.set.keys(for: algorithm, id: id)
            }
            return found
        }
    }

    /// Reads the file again where it has changed.
    private func look(_ state: inout State, _ now: MonotonicTime) {
        state.lookedAt = now
        guard let stamp = TokenKeyFile.stamp(of: path), stamp != state.stamp else { return }
        state.stamp = stamp
        do throws(Failure) {
            state.set = try TokenKeyFile.read(path)
            log.info("the keys of \(path) were read again: \(state.set.keys.count) can be used")
            for remark in state.set.remarks { log.warning("\(path):\(remark.line): \(remark.words)") }
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
        // Not to wait where it is a pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(words: "\(path): \(unsafe String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let part = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                unsafe count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            guard !part.isEmpty else { break }
            bytes += part
            guard bytes.count <= maxBytes else { throw Failure(words: "\(path): a key set has 1 MiB at most") }
        }
        do throws(SettingsError) { return try TokenKeySet(bytes) } catch {
            throw Failure(words: "\(path):\(error.line): \(error.reason)")
        }
    }
}

extension TokenKeySet {
    /// The keys of an algorithm: those with the id, or all where a token names none.
    fileprivate func keys(for algorithm: TokenAlgorithm, id: String?) -> [VerificationKey] {
        keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
    }
}
