import Foundation
import Reactions
import Testing

@testable import Storage

/// Revocations, and what moderators did.
@Suite struct AuditTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func revoke(_ store: any Store, _ user: String, at: Int64) async -> Result<Void, StoreError> {
        await withCheckedContinuation { continuation in
            store.revoke(Revocation(user: user, at: at, by: "mod")) { continuation.resume(returning: $0) }
        }
    }

    private func revocations(_ store: any Store) async throws -> [String: Int64] {
        let found = try await withCheckedContinuation { continuation in
            store.loadRevocations { continuation.resume(returning: $0) }
        }.get()
        return Dictionary(uniqueKeysWithValues: found.map { ($0.user, $0.at) })
    }

    @Test(arguments: StoreKind.allCases)
    func `Of several revocations of a user the latest counts`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        #expect(try await revocations(store) == [:])
        for (user, at) in [("ada", 5), ("bob", 9), ("ada", 7), ("bob", 8)] as [(String, Int64)] {
            #expect(await revoke(store, user, at: at).isSuccess)
        }
        #expect(try await revocations(store) == ["ada": 7, "bob": 9])
        try await kind.withOutage(of: store, in: folder) {
            #expect(await revoke(store, "cy", at: 1).unavailability != nil)
        }
        #expect(try await revocations(store) == ["ada": 7, "bob": 9])
        store.close()
        #expect(!(await revoke(store, "cy", at: 1).isSuccess))
    }

    @Test func `Revocations and the audit are there after a restart, and while another writes`() async throws {
        let file = folder.file()
        let cleared = AuditEntry(
            at: 10, .cleared, by: "mod", channel: "chat:1", message: "m", reaction: "👍", user: "", removed: 3, seq: 7)
        let frozen = AuditEntry(at: 20, .frozen, by: "ann", channel: "chat:2")
        let revoked = AuditEntry(at: 30, .revoked, by: "mod", user: "ada")
        do {
            let store = try SQLiteStore(file: file)
            store.commit([ChannelWrite(channel: "chat:1", seq: 7, records: [], audit: [cleared])]) { _ in }
            #expect(
                await store.commit([ChannelWrite(channel: "chat:2", seq: 0, records: [.frozen(true)], audit: [frozen])])
                    .isSuccess)
            #expect(await revoke(store, "ada", at: 30).isSuccess)
            #expect(try AuditTrail.read(file, .init()) == [cleared, frozen, revoked], "beside a store that is open")
            store.close()
        }
        let store = try SQLiteStore(file: file)
        #expect(try await revocations(store) == ["ada": 30])
        store.close()
        for (query, expected) in [
            (.init(), [cleared, frozen, revoked]), (.init(channel: "chat:1"), [cleared]),
            (.init(user: "ada"), [revoked]),
            (.init(by: "mod"), [cleared, revoked]), (.init(since: 20), [frozen, revoked]),
            (.init(limit: 2), [frozen, revoked]),
            (.init(channel: "chat:1", by: "ann"), []), (.init(channel: "' OR 1=1 --"), []), (.init(limit: 0), []),
        ] as [(AuditTrail.Query, [AuditEntry])] {
            #expect(try AuditTrail.read(file, query) == expected, "\(query)")
        }
    }

    @Test func `A change that is not committed leaves no entry`() async throws {
        let store = try SQLiteStore(file: folder.file(), settings: .impatient)
        let write = ChannelWrite(
            channel: "chat:1", seq: 1, records: [], audit: [AuditEntry(at: 1, .deleted, by: "mod", channel: "chat:1")])
        try await StoreKind.sqlite.withOutage(of: store, in: folder) {
            #expect(await store.commit([write]).unavailability != nil)
        }
        #expect(try AuditTrail.read(folder.file(), .init()).isEmpty)
    }

    @Test func `A file that is missing, another program's, older or newer is refused, and not touched`() throws {
        let file = folder.file()
        func refusal(_ prepare: () throws -> Void) rethrows -> String? {
            try prepare()
            let before = FileManager.default.contents(atPath: file)
            do throws(StoreError) {
                _ = try AuditTrail.read(file, .init())
                return nil
            } catch {
                #expect(FileManager.default.contents(atPath: file) == before)
                return error.reason
            }
        }
        #expect(refusal {}?.contains("no store") == true)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try refusal { try Data("no database at all".utf8).write(to: URL(filePath: file)) } != nil)
        try FileManager.default.removeItem(atPath: file)
        #expect(
            try refusal { try Outsider(file).run("CREATE TABLE mine (x)") }?.contains("no database of Fanfare's")
                == true)
        try FileManager.default.removeItem(atPath: file)
        let older = Schema(steps: Array(Schema.current.steps.prefix(1)))
        #expect(try refusal { _ = try Engine.prepareOnly(file, older) }?.contains("fanfare serve") == true)
        #expect(try refusal { try Outsider(file).run("PRAGMA user_version = 99") }?.contains("99") == true)
    }
}

extension Engine {
    /// Makes a file with the tables of an older version, and no more.
    fileprivate static func prepareOnly(_ file: String, _ schema: Schema) throws {
        let place = try DatabaseFile(file)
        let lock = try place.lock()
        try schema.prepare(try Database(path: place.path, locks: lock), path: place.path)
    }
}
