import Foundation
import Glibc
import Reactions
import Storage
import Testing

@testable import fanfare

/// Exports that say two things at once, or what cannot be.
@Suite struct ForeignFaultTests {
    private func read(_ source: ForeignSource, _ files: [String: String], maxCount: Int = 100) throws -> Harvest {
        try SampleExport.withFiles(files) { path in
            var harvest = Harvest(maxCount: maxCount)
            try source.read(path, into: &harvest) { _ in }
            return harvest
        }
    }

    private func refusal(_ source: ForeignSource, _ files: [String: String]) -> String? {
        do {
            _ = try read(source, files)
            return nil
        } catch let failure as ForeignFailure {
            return "/\(failure.place.split(separator: "/").last ?? ""): \(failure.words)"
        } catch {
            return "\(error)"
        }
    }

    private static let day = #"[{"ts":"5.000100","reactions":[{"name":"+1","users":["U1","U2"],"count":COUNT}]}]"#

    private func slack(_ channels: String, count: String = "2", folder: String = "general") -> [String: String] {
        [
            "channels.json": channels,
            "\(folder)/2024-01-02.json": Self.day.replacing("COUNT", with: count),
        ]
    }

    @Test("two Slack channels of one name: the folder may be either's, and is refused until it is called by an id")
    func names() throws {
        let two = #"[{"id":"C1","name":"general"},{"id":"C2","name":"general"}]"#
        #expect(
            refusal(.slack, slack(two))
                == "/general: 2 channels are called so, C1, C2; rename the folder to the id of the one it is of")
        #expect(try read(.slack, slack(two, folder: "C2")).lines.map { $0.prefix(2) } == ["C2", "C2"])
        // Listed twice it is one still.
        let same = #"[{"id":"C1","name":"general"},{"id":"C1","name":"general"}]"#
        #expect(try read(.slack, slack(same)).channels.map(\.id) == ["C1"])
    }

    @Test("counts that are larger than all numbers together are the largest number, in a channel and in all of them")
    func counts() throws {
        let most = String(Int64.max)
        var files = slack(#"[{"id":"C1","name":"general"},{"id":"C2","name":"other"}]"#, count: most)
        files["general/2024-01-03.json"] = files["general/2024-01-02.json"]
        files["other/2024-01-02.json"] = files["general/2024-01-02.json"]
        let harvest = try read(.slack, files)
        #expect(harvest.channels.map(\.unnamed) == [.max, .max - 2])
        var work = HarvestImport(harvest, .init(rules: Rules(), channelPrefix: "chat:"))
        for channel in harvest.channels { try work.add(channel, to: ChannelImage()) { _, _ in } }
        #expect(work.outcome.unnamed == .max)
    }

    @Test("more reactions than are held are known to be too many, and no more are held")
    func tooMany() throws {
        let files = slack(#"[{"id":"C1","name":"general"}]"#)
        #expect(try read(.slack, files, maxCount: 2).isTooMuch == false)
        let harvest = try read(.slack, files, maxCount: 1)
        #expect(harvest.isTooMuch)
        #expect(harvest.count == 0)
    }

    private static let discord =
        #"{"channel":{"id":"CHANNEL"},"messages":[{"id":"MESSAGE","reactions":[{"emoji":{"id":"","name":"NAME"},"users":[{"id":"USER"}]}]}]}"#

    private func discord(_ channel: String, _ message: String, _ user: String, _ name: String = "👍") -> [String: String]
    {
        let text = Self.discord.replacing("CHANNEL", with: channel).replacing("MESSAGE", with: message)
        return ["a.json": text.replacing("USER", with: user).replacing("NAME", with: name)]
    }

    @Test(
        "an id with a sign is none: +1 and 1 would be two channels, messages and users",
        arguments: [
            ("+1", "1", "1"), ("1", "+1", "1"), ("1", "1", "+1"), ("-1", "1", "1"), ("1", " 1", "1"), ("1", "1", "x"),
        ])
    func signs(channel: String, message: String, user: String) {
        #expect(refusal(.discord, discord(channel, message, user)) == "/a.json:1: an \"id\" of Discord's is a number")
    }

    @Test("a time with a sign is none", arguments: ["+5.1", "-0.5", "5.+1", "5.", "5.1x", ""])
    func times(text: String) {
        #expect(UnixTime.milliseconds(seconds: text) == nil)
    }

    @Test("a skin tone with a sign is none")
    func tones() {
        #expect(ShortNames.emoji(for: "wave::skin-tone-+2") == nil)
        #expect(ShortNames.emoji(for: "wave::skin-tone-2") != nil)
    }

    private func zulip(_ code: String, recipients: String = #"{"id":1,"type":2,"type_id":7}"#) -> [String: String] {
        [
            "realm.json": #"""
            {"zerver_recipient":[\#(recipients)],"zerver_reaction":[
            {"user_profile":3,"message":5,"emoji_name":"x","emoji_code":"\#(code)","reaction_type":"unicode_emoji"}]}
            """#,
            "messages-000001.json": #"{"zerver_message":[{"id":5,"sender":3,"recipient":1,"date_sent":1.5}]}"#,
        ]
    }

    @Test(
        "an emoji_code that is no code of characters is told with its line, and does not become a name",
        arguments: [
            "", "-", "zz", "+1f44d", "1f44d-", "d800", "110000", "1f44d 1f44d",
            (1...17).map { _ in "1f44d" }.joined(separator: "-"), String(repeating: "0", count: 100_000) + "g",
        ])
    func codes(code: String) {
        #expect(
            refusal(.zulip, zulip(code))
                == "/realm.json:2: the \"emoji_code\" of this reaction is no emoji's, such as 1f44d or 1f1e9-1f1ea")
    }

    @Test("a recipient that stands twice is refused")
    func recipients() {
        let two = #"{"id":1,"type":2,"type_id":7},{"id":1,"type":2,"type_id":8}"#
        #expect(
            refusal(.zulip, zulip("1f44d", recipients: two))
                == "/realm.json:1: the recipient 1 stands here for the second time")
    }

    @Test("what is to be an emoji and is none is refused, also where it could be a name", arguments: ["61", "31"])
    func letters(code: String) throws {
        for harvest in [try read(.zulip, zulip(code)), try read(.discord, discord("1", "4194304", "1", "a"))] {
            var work = HarvestImport(harvest, .init(rules: Rules(kind: .any), channelPrefix: "any:"))
            for channel in harvest.channels { try work.add(channel, to: ChannelImage()) { _, _ in } }
            #expect(work.outcome.added == 0)
            #expect(work.outcome.refused.map(\.why) == ["it is no emoji that is known here"])
        }
    }

    @Test("a refused name is cut off in its line, and control characters are escaped")
    func echo() {
        let long = String(repeating: "n", count: 5_000)
        let line = HarvestImport.Refused(file: "a", message: "m\u{1B}[2J", reaction: long, why: "so").line
        #expect(line == #"a: message m\u001b[2J: the reaction "# + long.prefix(80) + "… is refused: so")
    }

    private func mattermost(_ posts: String...) -> [String: String] {
        let lines = posts.map { #"{"type":"post","post":{"team":"t","channel":"c",\#($0)}}"# }
        return ["a.jsonl": ([#"{"type":"version","version":1}"#] + lines).joined(separator: "\n")]
    }

    private func post(_ text: String, _ user: String, replies: String = "") -> String {
        #""user":"ada","message":"\#(text)","create_at":7,"reactions":[{"user":"\#(user)","emoji_name":"+1","create_at":8}]"#
            + (replies.isEmpty ? "" : #","replies":[{\#(replies)}]"#)
    }

    @Test("two posts of one author in one millisecond are two messages, one that comes again is the same")
    func posts() throws {
        let harvest = try read(
            .mattermost, mattermost(post("one", "x", replies: post("two", "y")), post("one", "z"), post("two", "z")))
        #expect(
            harvest.lines == ["t/c 7.ada 👍 x 8", "t/c 7.ada~2 👍 y 8", "t/c 7.ada 👍 z 8", "t/c 7.ada~2 👍 z 8"])
    }

    @Test("a pipe in the place of a file of an export is refused", arguments: ForeignSource.allCases)
    func pipes(source: ForeignSource) throws {
        try SampleExport.withFiles([:]) { folder in
            let path = folder + "/pipe.jsonl"
            #expect(unsafe mkfifo(path, 0o600) == 0)
            var harvest = Harvest()
            do {
                try source.read(path, into: &harvest) { _ in }
                Issue.record("nothing stopped it")
            } catch let failure as ForeignFailure {
                #expect(failure.words.contains("no ") && failure.place.hasPrefix(path), "\(failure)")
            }
        }
    }
}
