import Transport

/// Mattermost's bulk export: JSON Lines, a post with its replies a line.
///
/// It has no ids: a channel is `TEAM/CHANNEL` or `dm/` and the members' names. What tells one post from another is for
/// Mattermost's own import the channel, the time, the author and the text; here a message is `1704067200123.ada`, which
/// stays when its text is edited, and `1704067200123.ada~2` where an author made a second one in the same millisecond.
/// Reactions have times of their own.
enum MattermostExport {
    static func read(_ files: ForeignFiles, into harvest: inout Harvest) throws(ForeignFailure) {
        let names = try files.names(ending: ".jsonl")
        guard names.count == 1, let name = names.first else {
            throw ForeignFailure(
                place: files.path(""), words: "there are \(names.count) files .jsonl here; give the one to import")
        }
        let lines = try files.lines(name)
        var posts = Posts()
        var number = 0
        while let line = try next(lines, name, files) {
            number += 1
            var reader = JSONReader(line)
            reader.passSpace()
            if reader.next == nil, number > 1 { continue }
            do throws(JSONReader.Fault) {
                let kind = try take(&reader, file: files.path(name), &posts, into: &harvest)
                if number == 1, kind != "version" {
                    throw JSONReader.Fault(offset: 0, words: "an export begins with its version")
                }
                try reader.end()
            } catch {
                throw ForeignFailure(place: "\(files.path(name)):\(number)", words: error.words)
            }
        }
        if number == 0 { throw ForeignFailure(place: files.path(name), words: "the file is empty") }
    }

    private static func next(
        _ lines: LineFile, _ name: String, _ files: ForeignFiles
    ) throws(ForeignFailure) -> [UInt8]? {
        do throws(FileFailure) { return try lines.next() } catch { throw files.failure(name, error) }
    }

    /// Takes a line; gives its kind.
    private static func take(
        _ reader: inout JSONReader, file: String, _ posts: inout Posts, into harvest: inout Harvest
    ) throws(JSONReader.Fault) -> String {
        let place = reader
        var kind: String?
        var post: Post?
        var version: Int64?
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            switch member {
            case "type": kind = try reader.string()
            case "version": version = try reader.whole()
            case "post", "direct_post": post = try Post(&reader)
            default: break
            }
        }
        guard let kind else { throw place.fault("this line has no \"type\"") }
        if kind == "version", version != 1 {
            throw place.fault("this form has version \(version ?? 0); version 1 is known")
        }
        if kind == "post" || kind == "direct_post" {
            guard let post, let channel = post.channel else {
                throw place.fault(
                    "this \(kind) needs \(kind == "post" ? "\"team\" and \"channel\"" : "\"channel_members\"")")
            }
            harvest.note(channel)
            for message in post.messages {
                let id = posts.id(of: message, in: channel)
                for reaction in message.reactions {
                    harvest.add(
                        Harvest.Given(emoji: ShortNames.emoji(for: reaction.name), name: reaction.name),
                        by: [reaction.user], to: Harvest.Message(id: id, file: file), in: channel,
                        at: reaction.at)
                }
            }
        }
        return kind
    }

    private struct Reaction {
        var user: String
        var name: String
        var at: Int64

        init(_ reader: inout JSONReader) throws(JSONReader.Fault) {
            let place = reader
            var user: String?
            var name: String?
            var at: Int64?
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "user": user = try reader.string()
                case "emoji_name": name = try reader.string()
                case "create_at": at = try reader.whole()
                default: break
                }
            }
            guard let user, let name, let at, UnixTime.range.contains(at) else {
                throw place.fault("a reaction needs \"user\", \"emoji_name\" and \"create_at\", in milliseconds")
            }
            (self.user, self.name, self.at) = (user, name, at)
        }
    }

    private struct Message {
        /// When it was made and by whom.
        var name: String
        /// What stands for its text within this process.
        var text: Int
        var reactions: [Reaction]
    }

    /// Which posts were met that have reactions.
    private struct Posts {
        private var places: [String: [Int: Int]] = [:]

        /// The id of a post; a post that comes again, with the same text, has the same.
        mutating func id(of message: Message, in channel: String) -> String {
            let key = channel + "\n" + message.name
            let count = places[key]?.count ?? 0
            let place = places[key]?[message.text] ?? count
            if place == count { places[key, default: [:]][message.text] = count }
            return place == 0 ? message.name : "\(message.name)~\(place + 1)"
        }
    }

    /// A post or a reply.
    private struct Post {
        var channel: String?
        /// Itself and its replies, as far as anybody reacted to them.
        var messages: [Message] = []

        init(_ reader: inout JSONReader) throws(JSONReader.Fault) {
            let place = reader
            var team: String?
            var name: String?
            var members: [String]?
            var user: String?
            var at: Int64?
            var text = ""
            var reactions: [Reaction] = []
            var replies: [Message] = []
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                if reader.takeNull() { return }
                switch member {
                case "team": team = try reader.string()
                case "channel": name = try reader.string()
                case "channel_members":
                    members = []
                    try reader.array { (reader) throws(JSONReader.Fault) in members?.append(try reader.string()) }
                case "user": user = try reader.string()
                case "create_at": at = try reader.whole()
                case "message": text = try reader.string()
                case "reactions":
                    try reader.array { (reader) throws(JSONReader.Fault) in reactions.append(try Reaction(&reader)) }
                case "replies":
                    try reader.array { (reader) throws(JSONReader.Fault) in replies += try Post(&reader).messages }
                default: break
                }
            }
            if let members {
                channel = "dm/" + members.sorted().joined(separator: ",")
            } else if let team, let name {
                channel = "\(team)/\(name)"
            }
            if !reactions.isEmpty {
                guard let user, let at, UnixTime.range.contains(at) else {
                    throw place.fault("a post needs \"user\" and \"create_at\", in milliseconds")
                }
                messages = [Message(name: "\(at).\(user)", text: text.hashValue, reactions: reactions)]
            }
            messages += replies
        }
    }
}
