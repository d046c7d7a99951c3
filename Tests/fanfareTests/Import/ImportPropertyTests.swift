import Foundation
import Reactions
import Storage
import TestSupport
import Testing

@testable import fanfare

/// Whatever an import takes, check-data calls sound, and export gives back; whatever it refuses, it leaves as it was.
@Suite struct ImportPropertyTests {
    private static let rounds = 60

    @Test("random lines, whole and broken: refused with the store as it was, or a sound store that gives them back")
    func property() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "fanfare.db").path()
        var random = SeededGenerator()
        var outcomes = (taken: 0, refused: 0)
        _ = try problem(try RandomExport.lines(&random).texts(), into: file)
        for round in 0..<Self.rounds {
            let place = Comment("seed \(random.seed), round \(round)")
            let before = try exported(file)
            let epoch = try StoreSnapshot(file: file).epoch
            var lines = try RandomExport.lines(&random)
            let isWhole = random.once(in: 4)
            if !isWhole { lines.damage(&random) }
            let texts = try lines.texts()
            if let problem = try problem(texts, into: file) {
                outcomes.refused += 1
                #expect(!isWhole, "\(place): \(problem)")
                #expect(try exported(file) == before, place)
                #expect(try StoreSnapshot(file: file).epoch == epoch, place)
                let number = problem.prefix { $0 != ":" }
                #expect((1...texts.count).contains(Int(number) ?? 0), "\(place): \(problem)")
            } else {
                outcomes.taken += 1
                #expect(try StoreCheck.run(file).faults == [], place)
                #expect(try exported(file).holds(try Exported(texts)), place)
            }
        }
        #expect(outcomes.taken >= 3 && outcomes.refused >= 3, "seed \(random.seed): \(outcomes)")
        let again = folder.appending(path: "again.db").path()
        #expect(try problem(try allLines(file), into: again) == nil, "seed \(random.seed)")
        #expect(try exported(again) == (try exported(file)), "seed \(random.seed)")
    }

    /// Imports lines, channels that are there giving way; gives what stops it.
    private func problem(_ lines: [String], into file: String) throws -> String? {
        var importer = Importer(try StoreImport(file: file, replaces: true))
        do {
            for line in lines { try importer.take(Array(line.utf8)) }
            _ = try importer.finish()
            return nil
        } catch let failure as Importer.Failure {
            return "\(failure.line): \(failure.words)"
        }
    }

    private func allLines(_ file: String) throws -> [String] {
        var lines: [String] = []
        _ = try Exporter(try StoreSnapshot(file: file), isWhole: true).tell { line in
            lines.append(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
        }
        return lines
    }

    private func exported(_ file: String) throws -> Exported { try Exported(allLines(file)) }
}

/// What the lines of an export say, in no order: those of each channel, and the others.
private struct Exported: Equatable {
    var channels: [String: Set<String>] = [:]
    var revocations: Set<String> = []
    var audit: [String: Int] = [:]

    init(_ lines: [String]) throws {
        var channel = ""
        for text in lines {
            var line = try JSONDecoder().decode(ExportLine.self, from: Data(text.utf8))
            // One emoji is written in another form than the one that is kept.
            if line.reaction == "\u{2764}" { line.reaction = "\u{2764}\u{FE0F}" }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let words = String(decoding: try encoder.encode(line), as: UTF8.self)
            switch line.type {
            case .export, .end: break
            case .revocation: revocations.insert(words)
            case .audit: audit[words, default: 0] += 1
            case .channel:
                channel = line.channel ?? ""
                channels[channel] = [words]
            case .message, .group, .reaction, .key: channels[channel]?.insert(words)
            }
        }
    }

    /// Whether all of the other's channels are here as they are there, and so is what moderators did.
    func holds(_ other: Exported) -> Bool {
        other.channels.allSatisfy { channels[$0] == $1 }
            && other.audit.allSatisfy { audit[$0, default: 0] >= $1 }
    }
}
