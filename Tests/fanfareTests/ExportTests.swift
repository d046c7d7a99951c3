import Foundation
import Reactions
import Storage
import Testing
import Transport

@testable import fanfare

/// The lines of an export, there and back.
@Suite struct ExportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")

    private static let thumb = Reaction(canonical: "👍")
    private static let records: [Record] = [
        .message("m1", .init(changed: 7, isDeleted: true)),
        .group(message: "", reaction: thumb, .init(started: 1, first: -5, last: 1_764_470_400_123)),
        .entry(
            message: "m1", user: "ada", reaction: thumb,
            .init(
                count: 1 << 53, given: 1, touched: 9, at: 1_764_470_400_123,
                data: ReactionData(text: #"{"b":1.50,"a":"\u00e4/"}"#, canonical: #"{"a":"ä/","b":1.5}"#))),
        .key(user: "ada", key: "k/1", .init(at: 5, body: [0, 255], answer: [1, 2, 3])),
    ]

    private func there(_ line: ExportLine) throws -> ExportLine {
        try JSONDecoder().decode(ExportLine.self, from: try JSONEncoder().encode(line))
    }

    @Test("a record is the same after it was a line", arguments: records)
    func roundTrip(record: Record) throws {
        let line = try #require(ExportLine(record))
        let back = try there(line).record(upTo: 9)
        if case .entry(_, _, _, let entry?) = back, case .entry(_, _, _, let before?) = record {
            #expect(entry.data?.text == before.data?.text)
            #expect(
                (entry.count, entry.given, entry.touched, entry.at) == (
                    before.count, before.given, before.touched, before.at
                ))
        } else {
            #expect(back == record)
        }
    }

    /// Imports these lines into a new store; gives what stops it.
    private func problem(_ lines: [String], into name: String = UUID().uuidString) throws -> String? {
        let store = try StoreImport(file: folder.appending(path: name).path())
        var importer = Importer(store)
        do {
            for line in lines { try importer.take(Array(line.utf8)) }
            _ = try importer.finish()
            return nil
        } catch let failure as Importer.Failure {
            return "\(failure.line): \(failure.words)"
        }
    }

    private let head = #"{"type":"export","version":1,"epoch":"e","channels":1}"#
    private let channel = #"{"type":"channel","channel":"chat:1","seq":3,"frozen":false}"#

    @Test("lines in order are taken")
    func whole() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try problem([head, #"{"type":"end","lines":2}"#]) == nil)
        let lines = [
            head, channel, #"{"type":"message","message":"m1","changed":2,"deleted":false}"#,
            #"{"type":"group","message":"m1","reaction":"👍","started":1,"first":5,"last":5}"#,
            #"{"type":"reaction","message":"m1","reaction":"👍","user":"ada","count":1,"given":1,"touched":2,"at":5}"#,
            #"{"type":"revocation","user":"eve","at":5,"by":"mod"}"#,
            #"{"type":"audit","at":5,"action":"frozen","by":"mod","channel":"chat:1"}"#, #"{"type":"end","lines":8}"#,
        ]
        #expect(try problem(lines, into: "x.db") == nil)
        let store = try StoreSnapshot(file: folder.appending(path: "x.db").path())
        #expect(try store.read("chat:1").records.count == 3)
        #expect(try store.auditEntries().map(\.action) == [.frozen])
    }

    @Test(
        "a line that cannot be taken stops it, with its number and the reason",
        arguments: [
            (["x"], "1: this is no line of an export"), ([#"{"type":"cake"}"#], "1: this is no line"),
            ([#"{"type":"end","lines":1}"#], "1: an export begins"),
            ([#"{"type":"export","version":2}"#], "1: this form has version 2"),
            (["HEAD", "HEAD"], "2: a second export"), (["HEAD"], "1: the end is missing"),
            ([], "0: the end is missing"),
            (["HEAD", #"{"type":"end","lines":3}"#], "2: 3 lines were written"),
            (["HEAD", #"{"type":"end","lines":2}"#, "CHANNEL"], "3: this comes behind the end"),
            (
                ["HEAD", #"{"type":"message","message":"m","changed":1,"deleted":false}"#],
                "2: this belongs to no channel"
            ),
            (["HEAD", #"{"type":"channel","channel":"a b","seq":1,"frozen":false}"#], "2: \"channel\" is 1 to 200"),
            (
                ["HEAD", #"{"type":"channel","channel":"a","frozen":false}"#],
                "2: a line of the type channel needs \"seq\""
            ),
            (
                ["HEAD", #"{"type":"channel","channel":"a","seq":9007199254740993,"frozen":false}"#],
                "2: \"seq\" is at most"
            ),
            (["HEAD", "CHANNEL", #"{"type":"message","message":"m","changed":4,"deleted":false}"#], "3: 4 is above"),
            (
                [
                    "HEAD", "CHANNEL",
                    #"{"type":"reaction","message":"m","reaction":"👍","user":"a","count":0,"given":1,"touched":1,"at":5}"#,
                ], "3: \"count\" is 1 to"
            ),
            (
                [
                    "HEAD", "CHANNEL",
                    #"{"type":"reaction","message":"m","reaction":"👍","user":"a","count":1,"given":2,"touched":1,"at":5}"#,
                ], "3: \"given\" is above"
            ),
            (
                [
                    "HEAD", "CHANNEL",
                    #"{"type":"reaction","message":"m","reaction":"👍","user":"a","count":1,"given":1,"touched":1,"at":5,"data":"[]"}"#,
                ], "3: \"data\" is the text"
            ),
            (
                [
                    "HEAD", "CHANNEL", #"{"type":"message","message":"m","changed":1,"deleted":true}"#,
                    #"{"type":"reaction","message":"m","reaction":"👍","user":"a","count":1,"given":1,"touched":1,"at":5}"#,
                    #"{"type":"end","lines":5}"#,
                ], "5: the reactions of the channel chat:1 contradict"
            ),
            (["HEAD", #"{"type":"audit","at":5,"action":"sang","by":"mod"}"#], "2: \"action\" is none"),
        ] as [([String], String)])
    func faults(lines: [String], words: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = lines.map { $0 == "HEAD" ? head : $0 == "CHANNEL" ? channel : $0 }
        let problem = try problem(lines)
        #expect(problem?.hasPrefix(words) == true, "\(problem ?? "nothing stopped it")")
    }

    @Test("a file is read line by line, however it ends")
    func lines() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "lines").path()
        for (text, expected) in [("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"])] {
            try Data(text.utf8).write(to: URL(filePath: path))
            let file = try LineFile(path)
            var found: [String] = []
            while let line = try file.next() { found.append(String(decoding: line, as: UTF8.self)) }
            #expect(found == expected)
        }
        #expect(throws: FileFailure.self) { _ = try LineFile(folder.appending(path: "none").path()) }
    }
}
