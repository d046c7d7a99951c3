import Foundation
import Reactions
import Testing

@testable import Storage

/// When the epoch of a file changes: wherever something that was told may be missing.
@Suite struct LifeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func settings(_ boot: String = "today", expectsLoss: Bool = false) -> SQLiteSettings {
        var settings = SQLiteSettings()
        settings.boot = boot
        settings.expectsLoss = expectsLoss
        return settings
    }

    /// The epoch of the next life, which ends in order or not at all.
    private func epoch(_ settings: SQLiteSettings, isClosed: Bool = true) throws -> String {
        var engine = try Engine(file: folder.file(), settings: settings)
        if isClosed { engine.finish(isComplete: true) }
        return engine.epoch
    }

    @Test func `An orderly end keeps the epoch, whatever was told early`() throws {
        let epochs = try [false, true, true, false].map { try epoch(settings("boot \($0)", expectsLoss: $0)) }
        #expect(Set(epochs).count == 1)
    }

    @Test func `A crash keeps the epoch where everything that was told is committed`() throws {
        let epochs = try (0..<3).map { _ in try epoch(settings(), isClosed: false) }
        #expect(Set(epochs).count == 1)
    }

    @Test func `A crash changes the epoch where changes were told early`() throws {
        let epochs = try (0..<3).map { _ in try epoch(settings(expectsLoss: true), isClosed: false) }
        #expect(Set(epochs).count == 3)
        #expect(epochs[2] == epochs[0] + "-2")
    }

    @Test func `A power cut changes the epoch, since the newest commits may be missing`() throws {
        let epochs = try ["mon", "tue", "tue"].map { try epoch(settings($0), isClosed: false) }
        #expect(epochs[0] != epochs[1])
        #expect(epochs[1] == epochs[2])
    }

    @Test func `It counts from when it was said, as settings may be read again`() async throws {
        let first = try epoch(settings())
        do {
            var engine = try Engine(file: folder.file(), settings: settings())
            engine.expectLoss()
        }
        #expect(try epoch(settings()) == first + "-1")
    }

    @Test func `An end with something missing is no orderly one`() throws {
        let first = try epoch(settings())
        do {
            var engine = try Engine(file: folder.file(), settings: settings(expectsLoss: true))
            engine.finish(isComplete: false)
        }
        #expect(try epoch(settings()) == first + "-1")
    }
}
