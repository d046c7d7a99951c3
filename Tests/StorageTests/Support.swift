import CSQLite
import Foundation
import Locks
import Reactions
import Testing

@testable import Storage

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String = "fanfare.db") -> String { path + "/" + name }
}

/// Both engines, for the rules that every store keeps.
enum StoreKind: CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { self == .memory ? "memory" : "SQLite" }

    func make(in folder: TemporaryFolder) throws -> any Store {
        switch self {
        case .memory: MemoryStore(epoch: "e1")
        case .sqlite: try SQLiteStore(file: folder.file(), settings: .impatient)
        }
    }

    /// Runs a part while every commit fails, because another program holds the lock or a test says so.
    func withOutage(of store: any Store, in folder: TemporaryFolder, _ body: () async throws -> Void) async throws {
        switch self {
        case .memory:
            let store = try #require(store as? MemoryStore)
            store.setOutage("no room left")
            try await body()
            store.setOutage(nil)
        case .sqlite:
            let other = try Outsider(folder.file())
            try other.run("BEGIN IMMEDIATE")
            try await body()
            try other.run("ROLLBACK")
        }
    }
}

extension SQLiteSettings {
    /// Gives up on a lock at once.
    static var impatient: SQLiteSettings {
        var settings = SQLiteSettings()
        settings.busyTimeoutMilliseconds = 0
        return settings
    }
}

extension Store {
    func load(_ channel: String, keysSince: Int64 = .min) async throws -> ChannelImage {
        try await withCheckedContinuation { continuation in
            load(channel, keysSince: keysSince) { continuation.resume(returning: $0) }
        }.get()
    }

    func commit(_ group: [ChannelWrite]) async -> Result<Void, StoreError> {
        await withCheckedContinuation { continuation in
            commit(group) { continuation.resume(returning: $0) }
        }
    }

    func commit(_ channel: String, _ seq: UInt64, _ records: [Record] = []) async -> Result<Void, StoreError> {
        await commit([ChannelWrite(channel: channel, seq: seq, records: records)])
    }
}

extension Result where Success == Void, Failure == StoreError {
    var isSuccess: Bool { if case .success = self { true } else { false } }

    /// What an unavailable store said.
    var unavailability: String? {
        if case .failure(.unavailable(let reason)) = self { reason } else { nil }
    }
}

/// A connection of another program, such as a shell.
@safe final class Outsider {
    struct Failure: Error {
        let message: String
    }

    private let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open(path, &opened)
        guard code == SQLITE_OK, let handle = unsafe opened else { throw Failure(message: "open: \(code)") }
        // The store may be in the middle of a commit or a sweep of its own.
        unsafe sqlite3_busy_timeout(handle, 60_000)
        unsafe self.handle = handle
    }

    deinit {
        unsafe sqlite3_close(handle)
    }

    func run(_ sql: String) throws {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle))) }
    }

    /// The first column of the first row.
    func text(_ sql: String) throws -> String? {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle)))
        }
        defer { unsafe sqlite3_finalize(statement) }
        guard unsafe sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return unsafe sqlite3_column_text(statement, 0).map { unsafe String(cString: $0) }
    }
}

/// What answers said, in the order in which they came.
final class Answers<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    func append(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

extension Record {
    /// A short way to an entry.
    static func entry(_ user: String, on message: String = "m1", _ reaction: String = "👍", seq: UInt64 = 1) -> Record {
        .entry(
            message: message, user: user, reaction: Reaction(canonical: reaction),
            Entry(count: 1, given: seq, touched: seq, at: 1_764_470_400_000 + Int64(seq)))
    }

    static func key(_ key: String, at: Int64) -> Record {
        .key(user: "ada", key: key, Key(at: at, body: [1, 2], answer: [3]))
    }
}

extension ChannelImage {
    /// How many records there are of each; images are compared in no order.
    var contents: [Record: Int] {
        records.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
