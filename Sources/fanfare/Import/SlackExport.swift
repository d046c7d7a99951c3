/// Slack's export: `channels.json` and its like name the channels; each has a folder with a file of messages a day.
///
/// A message's id is its `ts`. When a reaction was given is not told: it has the time of its message.
enum SlackExport {
    /// What names the conversations: public and private channels, direct messages of two and of several.
    private static let lists = ["channels.json", "groups.json", "dms.json", "mpims.json"]

    static func read(_ files: ForeignFiles, into harvest: inout Harvest) throws(ForeignFailure) {
        guard files.isFolder, files.has("channels.json") else {
            throw ForeignFailure(
                place: files.path(""), words: "this is no unpacked export of Slack's: it has no channels.json")
        }
        let channels = try channels(files)
        for folder in try files.folders() {
            let days = try files.names(in: folder, ending: ".json").filter {
                isDay($0.dropFirst(folder.utf8.count + 1))
            }
            guard let ids = channels[folder], let channel = ids.first else {
                guard days.isEmpty else {
                    throw ForeignFailure(
                        place: files.path(folder),
                        words: "none of \(lists.joined(separator: ", ")) says which channel this is")
                }
                continue
            }
            for id in ids { harvest.note(id) }
            guard ids.contains(where: harvest.isWanted) else { continue }
            guard ids.count == 1 || days.isEmpty else {
                throw ForeignFailure(
                    place: files.path(folder),
                    words:
                        "\(ids.count) channels are called so, \(ids.prefix(3).map { brief($0) }.joined(separator: ", ")); rename the folder to the id of the one it is of"
                )
            }
            for day in days { try read(day, of: channel, files, into: &harvest) }
        }
    }

    /// The ids of the channels, by the names of their folders: a channel's own name, or the id.
    private static func channels(_ files: ForeignFiles) throws(ForeignFailure) -> [String: [String]] {
        var channels: [String: [String]] = [:]
        for list in lists where files.has(list) {
            try files.json(list) { (reader) throws(JSONReader.Fault) in
                try reader.array { (reader) throws(JSONReader.Fault) in
                    let place = reader
                    var id: String?
                    var name: String?
                    try reader.object { (reader, member) throws(JSONReader.Fault) in
                        if member == "id" { id = try reader.string() }
                        if member == "name" { name = reader.takeNull() ? nil : try reader.string() }
                    }
                    guard let id else { throw place.fault("this channel has no \"id\"") }
                    for folder in [name ?? id, id] where channels[folder]?.contains(id) != true {
                        channels[folder, default: []].append(id)
                    }
                }
            }
        }
        return channels
    }

    /// Whether a name is `2024-01-31.json`.
    private static func isDay(_ name: Substring) -> Bool {
        name.utf8.count == 15
            && zip(name.utf8, "0000-00-00.json".utf8).allSatisfy { byte, pattern in
                pattern == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == pattern
            }
    }

    private struct Reaction {
        var name: String
        var users: [String]
        var count: Int64
    }

    private static func read(
        _ day: String, of channel: String, _ files: ForeignFiles, into harvest: inout Harvest
    ) throws(ForeignFailure) {
        try files.json(day) { (reader) throws(JSONReader.Fault) in
            try reader.array { (reader) throws(JSONReader.Fault) in
                let place = reader
                var ts: String?
                var reactions: [Reaction] = []
                try reader.object { (reader, member) throws(JSONReader.Fault) in
                    if member == "ts" { ts = try reader.string() }
                    if member == "reactions" { reactions = try Self.reactions(&reader) }
                }
                guard !reactions.isEmpty else { return }
                guard let ts else { throw place.fault("this message has reactions and no \"ts\", its time and id") }
                guard let at = UnixTime.milliseconds(seconds: ts) else {
                    throw place.fault("the \"ts\" of this message is no time: \(brief(ts))")
                }
                let message = Harvest.Message(id: ts, file: files.path(day))
                for reaction in reactions {
                    harvest.add(
                        Harvest.Given(emoji: ShortNames.emoji(for: reaction.name), name: reaction.name),
                        by: reaction.users, count: reaction.count, to: message, in: channel, at: at)
                }
            }
        }
    }

    private static func reactions(_ reader: inout JSONReader) throws(JSONReader.Fault) -> [Reaction] {
        var reactions: [Reaction] = []
        try reader.array { (reader) throws(JSONReader.Fault) in
            let place = reader
            var name: String?
            var users: [String] = []
            var count: Int64?
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "name": name = try reader.string()
                case "users":
                    try reader.array { (reader) throws(JSONReader.Fault) in users.append(try reader.string()) }
                case "count": count = try reader.count()
                default: break
                }
            }
            guard let name else { throw place.fault("this reaction has no \"name\"") }
            reactions.append(Reaction(name: name, users: users, count: count ?? Int64(users.count)))
        }
        return reactions
    }
}
