import Foundation
import Testing

@testable import fanfare

/// What is read out of the exports of other systems.
@Suite struct ForeignExportTests {
    private func read(_ source: ForeignSource, _ path: String, wanted: Set<String> = []) throws -> Harvest {
        var harvest = Harvest(wanted: wanted)
        try source.read(path, into: &harvest) { _ in }
        return harvest
    }

    @Test("Slack: channels by their ids, short names with skin tones, counts above the users, the times of messages")
    func slack() throws {
        let harvest = try read(.slack, SampleExport.path(.slack))
        #expect(
            harvest.lines == [
                "D01DIRECT04 1704192000.000100 👍 U01BOB00002 1704192000000",
                "C01GENERAL1 1704189600.123459 👍 U01ADA00001 1704189600123",
                "C01GENERAL1 1704189600.123459 👍 U01BOB00002 1704189600123",
                "C01GENERAL1 1704189600.123459 🎉 U01BOB00002 1704189600123",
                "C01GENERAL1 1704189600.123459 👋🏼 U01CY000003 1704189600123",
                "C01GENERAL1 1704189720.000300 ❤️ U01ADA00001 1704189720000",
                "C01GENERAL1 1704276000.000100 :party_parrot U01ADA00001 1704276000000",
                "C01GENERAL1 1704276000.000100 :party_parrot U01CY000003 1704276000000",
                "C01GENERAL1 1704276000.000100 🇩🇪 U01BOB00002 1704276000000",
                "G01SECRET03 1704191000.000100 👀 U01BOB00002 1704191000000",
            ])
        #expect(harvest.channels.map(\.id) == ["D01DIRECT04", "C01GENERAL1", "G01SECRET03", "C01RANDOM02"])
        #expect(harvest.channels.map(\.unnamed) == [0, 4, 0, 0])
    }

    @Test("Discord: a channel of several files, own emoji, older files without users")
    func discord() throws {
        let harvest = try read(.discord, SampleExport.path(.discord))
        let general = "500000000000000001"
        let messages = Set(harvest.messages.values.map(\.id)).sorted()
        #expect(messages.count == 3)
        #expect(
            harvest.lines == [
                "\(general) \(messages[2]) :PartyParrot 201000000000000001 1704276000789",
                "\(general) \(messages[0]) 👍 201000000000000001 1704189600123",
                "\(general) \(messages[0]) 👍 201000000000000002 1704189600123",
                "\(general) \(messages[0]) ❤️ 201000000000000003 1704189600123",
                "500000000000000002 \(messages[1]) 👋🏽 201000000000000002 1704190000000",
            ])
        #expect(harvest.channels.map(\.unnamed) == [10, 0])
        let one = try read(.discord, SampleExport.path(.discord) + "/off-topic.json")
        #expect(one.lines.count == 1)
    }

    @Test("Zulip: streams, direct messages and groups; emoji by their codes")
    func zulip() throws {
        #expect(
            try read(.zulip, SampleExport.path(.zulip)).lines == [
                "7 101 👍 3 1704189600123", "7 101 👍 4 1704189600123", "7 101 ❤ 4 1704189600123",
                "7 102 :party_parrot 3 1704276000500", "7 102 :zulip 3 1704276000500",
                "dm-3-4 103 🇩🇪 3 1704276100000", "group-2 104 👀 4 1704276200000",
            ])
    }

    @Test("Mattermost: posts, replies and direct posts; every reaction has a time of its own")
    func mattermost() throws {
        let expected = [
            "fans/town-square 1704189600123.ada 👍 bob 1704189700000",
            "fans/town-square 1704189600123.ada 👍 ada 1704189650000",
            "fans/town-square 1704189600123.ada 👋🏽 cy 1704189800000",
            "fans/town-square 1704189720000.bob 🎉 ada 1704189730000",
            "fans/town-square 1704276000000.bob :party_parrot ada 1704276001000",
            "dm/ada,bob 1704276100000.bob ❤️ ada 1704276100500",
        ]
        #expect(try read(.mattermost, SampleExport.path(.mattermost)).lines == expected)
        #expect(try read(.mattermost, SampleExport.path(.mattermost) + "/import.jsonl").lines == expected)
    }

    @Test("only the channels that were asked for are read; one that is not there is known to be missing")
    func wanted() throws {
        let harvest = try read(.slack, SampleExport.path(.slack), wanted: ["G01SECRET03", "C0"])
        #expect(harvest.channels.map(\.id) == ["G01SECRET03"])
        #expect(harvest.missing == ["C0"])
    }

    private static let channels = #"[{"id":"C1","name":"general"}]"#
    private static let realm = #"{"zerver_recipient":[{"id":1,"type":2,"type_id":7}],"zerver_reaction":[REACTION]}"#
    private static let reaction =
        #"{"user_profile":3,"message":5,"emoji_name":"x","emoji_code":"2764","reaction_type":"unicode_emoji"}"#
    private static let messages = #"{"zerver_message":[{"id":5,"sender":3,"recipient":1,"date_sent":1.5}]}"#
    private static func realm(_ reactions: String...) -> String {
        realm.replacing("REACTION", with: reactions.joined(separator: ","))
    }

    @Test(
        "a broken or half export is refused, with the file, the line and the reason",
        arguments: [
            (.slack, [:], ": this is no unpacked export of Slack's: it has no channels.json"),
            (.slack, ["channels.json": "[{\n"], "/channels.json:2: the text ends too early"),
            (.slack, ["channels.json": "{}"], "/channels.json:1: an array is expected here"),
            (.slack, ["channels.json": "[\n{\"name\":\"general\"}]"], "/channels.json:2: this channel has no \"id\""),
            (
                .slack, ["channels.json": channels, "general/2024-01-02.json": "[\n{\"ts\":\"1.0\"},\n{\"ts\""],
                "/general/2024-01-02.json:3: the text ends too early"
            ),
            (
                .slack,
                [
                    "channels.json": channels,
                    "general/2024-01-02.json": #"[{"reactions":[{"name":"x","users":["U"]}]}]"#,
                ], "/general/2024-01-02.json:1: this message has reactions and no \"ts\""
            ),
            (
                .slack, ["channels.json": channels, "general/2024-01-02.json": "[{\n\"reactions\":[{}]}]"],
                "/general/2024-01-02.json:2: this reaction has no \"name\""
            ),
            (
                .slack,
                [
                    "channels.json": channels,
                    "general/2024-01-02.json": #"[{"ts":"noon","reactions":[{"name":"x","users":["U"]}]}]"#,
                ], "/general/2024-01-02.json:1: the \"ts\" of this message is no time: noon"
            ),
            (
                .slack,
                [
                    "channels.json": channels,
                    "general/2024-01-02.json": #"[{"ts":"1.0","reactions":[{"name":"x","count":-1}]}]"#,
                ], "/general/2024-01-02.json:1: a count is 0 or more"
            ),
            (
                .slack,
                [
                    "channels.json": channels,
                    "general/2024-01-02.json": #"[{"ts":"1.0","reactions":[],"reactions":[{"name":"x"}]}]"#,
                ], "/general/2024-01-02.json:1: \"reactions\" stands here for the second time"
            ),
            (
                .slack, ["channels.json": channels, "other/2024-01-02.json": "[]"],
                "/other: none of channels.json, groups.json, dms.json, mpims.json says which channel this is"
            ),
            (.discord, [:], ": there is no .json"), (.discord, ["a.json": "[]"], "/a.json:1: an object is expected"),
            (.discord, ["a.json": "{}"], "/a.json:1: this is no JSON of DiscordChatExporter's"),
            (.discord, ["a.json": "{\"messages\":[]}"], "/a.json:1: the channel's \"id\" comes before its messages"),
            (
                .discord,
                [
                    "a.json":
                        "{\"channel\":{\"id\":\"1\"},\"messages\":[\n{\"id\":\"x\",\"reactions\":[{\"emoji\":{\"name\":\"x\"}}]}]}"
                ],
                "/a.json:2: an \"id\" of Discord's is a number"
            ),
            (
                .discord,
                [
                    "a.json":
                        "{\"channel\":{\"id\":\"1\"},\"messages\":[{\"id\":\"4194304\",\"reactions\":[\n{\"count\":1}]}]}"
                ],
                "/a.json:2: this reaction has no \"emoji\""
            ),
            (.zulip, [:], ": this is no unpacked export of Zulip's"),
            (.zulip, ["realm.json": "{\"zerver_recipient\":[\n{}]}"], "/realm.json:2: this recipient needs"),
            (.zulip, ["realm.json": realm("\n{}")], "/realm.json:2: this reaction needs"),
            (
                .zulip, ["realm.json": realm(reaction)],
                "/realm.json: there are reactions to the message 5, which no file of messages has"
            ),
            (
                .zulip, ["realm.json": "{}", "messages-000001.json": messages],
                "/messages-000001.json:1: realm.json does not say what the recipient 1 is"
            ),
            (
                .zulip, ["realm.json": "{}", "messages-000001.json.partial": "{}"],
                "/messages-000001.json.partial: the export was not finished"
            ),
            (.mattermost, [:], ": there are 0 files .jsonl here"),
            (.mattermost, ["a.jsonl": "", "b.jsonl": ""], ": there are 2 files .jsonl here"),
            (.mattermost, ["a.jsonl": ""], "/a.jsonl: the file is empty"),
            (.mattermost, ["a.jsonl": "{\"type\":\"team\"}"], "/a.jsonl:1: an export begins with its version"),
            (.mattermost, ["a.jsonl": "{\"type\":\"version\",\"version\":2}"], "/a.jsonl:1: this form has version 2"),
            (
                .mattermost, ["a.jsonl": "{\"type\":\"version\",\"version\":1}\n\n{\"type\":\"post\",\"post\":{\"us"],
                "/a.jsonl:3: the text ends too early"
            ),
            (
                .mattermost, ["a.jsonl": "{\"type\":\"version\",\"version\":1}\n{\"type\":\"post\",\"post\":{}}"],
                "/a.jsonl:2: this post needs \"team\" and \"channel\""
            ),
            (
                .mattermost,
                ["a.jsonl": "{\"type\":\"version\",\"version\":1}\n{\"type\":\"direct_post\",\"direct_post\":{}}"],
                "/a.jsonl:2: this direct_post needs \"channel_members\""
            ),
            (
                .mattermost,
                [
                    "a.jsonl":
                        "{\"type\":\"version\",\"version\":1}\n{\"type\":\"post\",\"post\":{\"reactions\":[{\"user\":\"a\"}]}}"
                ],
                "/a.jsonl:2: a reaction needs"
            ),
        ] as [(ForeignSource, [String: String], String)])
    func broken(source: ForeignSource, files: [String: String], words: String) throws {
        try SampleExport.withFiles(files) { path in
            let root = path.hasSuffix("/") ? String(path.dropLast()) : path
            do {
                _ = try read(source, path)
                Issue.record("nothing stopped it")
            } catch let failure as ForeignFailure {
                let found = "\(failure.place): \(failure.words)"
                #expect(found.hasPrefix(root + words), "\(found)")
            }
        }
    }

    @Test("a zip archive is told to be unpacked", arguments: ForeignSource.allCases)
    func archive(source: ForeignSource) throws {
        try SampleExport.withFiles(["export.zip": "PK\u{3}\u{4}..."]) { path in
            do {
                _ = try read(source, path + "/export.zip")
                Issue.record("nothing stopped it")
            } catch let failure as ForeignFailure {
                #expect(failure.words.contains("unpack it"))
            }
        }
    }
}
