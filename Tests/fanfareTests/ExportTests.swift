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
        .group(message: "", reaction: thumb, .init(started: 1, first: 5, last: 1_764_470_400_123)),
        .entry(
            message: "m1", user: "ada", reaction: thumb,
            .init(
                count: 1 << 52, given: 1, touched: 9, at: 1_764_470_400_123,
                data: ReactionData(text: #"{"b":1.50,"a":"\u00e4/"}"#, canonical: #"{"a":"ä/","b":1.5}"#))),
        usedKey(user: "ada", key: "k/1", at: 5),
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
    private let empty = #"{"type":"export","version":1,"epoch":"e","channels":0}"#
    private let channel = #"{"type":"channel","channel":"chat:1","seq":3,"frozen":false}"#

    private var named: [String: String] {
        [
            "HEAD": head, "EMPTY": empty, "CHANNEL": channel,
            "MESSAGE": #"{"type":"message","message":"m","changed":1,"deleted":false}"#,
            "DELETED": #"{"type":"message","message":"m","changed":1,"deleted":true}"#,
            "GROUP": #"{"type":"group","message":"m","reaction":"👍","started":1,"first":5,"last":5}"#,
            "REACTION":
                #"{"type":"reaction","message":"m","reaction":"👍","user":"a","count":1,"given":1,"touched":1,"at":5}"#,
            "REVOCATION": #"{"type":"revocation","user":"eve","at":5,"by":"mod"}"#,
        ]
    }

    @Test("lines in order are taken")
    func whole() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try problem([empty, #"{"type":"end","lines":2}"#]) == nil)
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

    @Test("a number that no field has is told by its name", arguments: ["1.5", "-1", "1e99", "99999999999999999999"])
    func numbers(number: String) throws {
        let lines = [head, #"{"type":"channel","channel":"a","seq":NUMBER}"#.replacing("NUMBER", with: number)]
        #expect(
            try problem(lines)
                == "2: this is no line of an export: \"seq\" is no whole number from 0 to 9006099743113216")
    }

    @Test(
        "a line that cannot be taken stops it, with its number and the reason",
        arguments: [
            (["x"], "1: this is no line of an export: an object is expected here"),
            ([#"{"type":"cake"}"#], "1: this is no line"),
            ([#"{"type":"export","version":1}}"#], "1: this is no line of an export: nothing more is expected here"),
            (
                [#"{"type":"export","version":1,"epoch":"e","channels":1,"channels":2}"#],
                "1: this is no line of an export: \"channels\" stands here for the second time"
            ),
            ([#"{"type":"end","lines":1}"#], "1: an export begins"),
            ([#"{"type":"export","version":2}"#], "1: this form has version 2"),
            (["HEAD", "HEAD"], "2: a second export"), (["HEAD"], "1: the end is missing"),
            ([], "1: there is nothing; an export begins"), ([""], "1: this is no line of an export"),
            ([#"{"type":"export","version":1,"channels":1}"#], "1: a line of the type export needs \"epoch\""),
            ([#"{"type":"export","version":1,"epoch":"e"}"#], "1: a line of the type export needs \"channels\""),
            (
                ["HEAD", #"{"type":"end","lines":2}"#],
                "2: \"channels\" of the first line is 1, and the lines are about 0"
            ),
            (["HEAD", "CHANNEL", "CHANNEL"], "3: the channel chat:1 stands here for the second time"),
            (["HEAD", #"{"type":"end","lines":3}"#], "2: \"lines\" of the last line is 3, and this is line 2"),
            (["EMPTY", #"{"type":"end","lines":2}"#, "CHANNEL"], "3: this comes behind the end"),
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
                "2: \"seq\" is 0 to 9006099743113216"
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
            (["HEAD", "CHANNEL", "GROUP"], "3: the message \"m\" is not known: its line of the type message comes"),
            (["HEAD", "CHANNEL", "REACTION"], "3: the message \"m\" is not known"),
            (["HEAD", "CHANNEL", "MESSAGE", "REACTION"], "4: the group 👍 of the message \"m\" is not known"),
            (["HEAD", "CHANNEL", "MESSAGE", "MESSAGE"], "4: the message \"m\" stands here for the second time"),
            (["HEAD", "CHANNEL", "MESSAGE", "GROUP", "GROUP"], "5: the group 👍 of the message \"m\" stands here"),
            (
                ["HEAD", "CHANNEL", "MESSAGE", "GROUP", "REACTION", "REACTION"],
                "6: the reaction 👍 of this user on the message \"m\" stands here"
            ),
            (["HEAD", "CHANNEL", "DELETED", "GROUP"], "4: the message \"m\" is deleted, and has no reactions"),
            (["HEAD", "CHANNEL", "DELETED", "REACTION"], "4: the message \"m\" is deleted, and has no reactions"),
            (
                ["HEAD", "CHANNEL", #"{"type":"message","changed":1,"deleted":false}"#],
                "3: a line of the type message needs \"message\""
            ),
            (
                ["HEAD", "CHANNEL", #"{"type":"message","message":"*","changed":1,"deleted":false}"#],
                "3: \"message\" is"
            ),
            (
                [
                    "HEAD", "CHANNEL", "MESSAGE",
                    #"{"type":"group","message":"m","reaction":"👍","started":1,"first":9007199254740993,"last":5}"#,
                ], "4: \"first\" is in Unix milliseconds, 0 to 9006099743113216"
            ),
            (
                [
                    "HEAD", "CHANNEL", "MESSAGE",
                    #"{"type":"group","message":"m","reaction":"👍","started":1,"first":"5","last":5}"#,
                ], "4: this is no line of an export: \"first\" is not"
            ),
            (
                [
                    "HEAD", "CHANNEL", "MESSAGE",
                    #"{"type":"group","message":"m","reaction":"👍","started":1,"first":-1,"last":5}"#,
                ], "4: this is no line of an export: \"first\" is no whole number from 0 to 9006099743113216"
            ),
            (
                [
                    "HEAD", "CHANNEL", "MESSAGE", "GROUP",
                    #"{"type":"reaction","message":"m","reaction":"👍","user":"b","count":9006099743113216,"given":1,"touched":1,"at":5}"#,
                    "REACTION",
                ], "6: the counts on the message \"m\" are above 9006099743113216 together"
            ),
            (
                ["HEAD", "CHANNEL", #"{"type":"key","user":"a","key":"k","at":5,"body":"AP8=","answer":"AQID"}"#],
                "3: \"body\" and \"answer\" are not those of a used key"
            ),
            (["HEAD", "REVOCATION", "REVOCATION"], "3: the revocation of this user stands here"),
            (["HEAD", #"{"type":"revocation","user":"a","at":5,"by":""}"#], "2: \"by\" is 1 to 128"),
            (
                ["HEAD", #"{"type":"audit","at":5,"action":"frozen","by":"m","channel":"a b"}"#],
                "2: \"channel\" is 1 to"
            ),
            (["HEAD", #"{"type":"audit","at":5,"action":"sang","by":"mod"}"#], "2: \"action\" is none"),
        ] as [([String], String)])
    func faults(lines: [String], words: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = lines.map { named[$0] ?? $0 }
        let problem = try problem(lines)
        #expect(problem?.hasPrefix(words) == true, "\(problem ?? "nothing stopped it")")
    }

    @Test(
        "a reaction is one that the wire takes, in its canonical form",
        arguments: [
            ("👍", "👍"), ("❤", "❤️"), ("party_parrot", "party_parrot"), ("+1", "+1"), ("a b", nil), ("", nil),
            ("A", nil), ("a\n", nil), ("\u{7}", nil), ("👍👍", nil), (String(repeating: "a", count: 65), nil), ("é", nil),
        ] as [(String, String?)])
    func reactions(text: String, canonical: String?) {
        var line = ExportLine(.group)
        (line.message, line.reaction, line.started, line.first, line.last) = ("m", text, 1, 5, 5)
        let expected = canonical.map { text in
            Record.group(message: "m", reaction: Reaction(canonical: text), .init(started: 1, first: 5, last: 5))
        }
        #expect((try? line.record(upTo: 9)) == expected)
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
