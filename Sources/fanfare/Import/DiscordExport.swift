/// DiscordChatExporter's JSON: a file is a channel or a thread, or a part of one; a folder may have many.
///
/// When a reaction was given is not told: it has the time of its message, which the message's id tells.
enum DiscordExport {
    static func read(_ files: ForeignFiles, into harvest: inout Harvest) throws(ForeignFailure) {
        let names = try files.names(ending: ".json")
        if names.isEmpty {
            throw ForeignFailure(place: files.path(""), words: "there is no .json of DiscordChatExporter's here")
        }
        for name in names { try read(name, files, into: &harvest) }
    }

    private static func read(
        _ name: String, _ files: ForeignFiles, into harvest: inout Harvest
    ) throws(ForeignFailure) {
        try files.json(name) { (reader) throws(JSONReader.Fault) in
            let place = reader
            var channel: String?
            var hasMessages = false
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "channel":
                    channel = try id(&reader)
                    if let channel { harvest.note(channel) }
                case "messages":
                    guard let channel else { throw reader.fault("the channel's \"id\" comes before its messages") }
                    hasMessages = true
                    try reader.array { (reader) throws(JSONReader.Fault) in
                        try message(&reader, of: channel, file: files.path(name), into: &harvest)
                    }
                default: break
                }
            }
            guard channel != nil, hasMessages else {
                throw place.fault("this is no JSON of DiscordChatExporter's: it has no \"channel\" with \"messages\"")
            }
        }
    }

    /// The `id` of an object, a number without a sign.
    private static func id(_ reader: inout JSONReader) throws(JSONReader.Fault) -> String? {
        var id: String?
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            if member == "id", !reader.takeNull() { id = try number(&reader) }
        }
        return id
    }

    /// An id.
    private static func number(_ reader: inout JSONReader) throws(JSONReader.Fault) -> String {
        reader.passSpace()
        let place = reader
        let id = try reader.id()
        guard decimal(id, as: UInt64.self) != nil else { throw place.fault("an \"id\" of Discord's is a number") }
        return id
    }

    private struct Reaction {
        var given: Harvest.Given
        var users: [String] = []
        var count: Int64 = 0
    }

    private static func message(
        _ reader: inout JSONReader, of channel: String, file: String, into harvest: inout Harvest
    ) throws(JSONReader.Fault) {
        let place = reader
        var id: String?
        var reactions: [Reaction] = []
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            if member == "id" { id = try number(&reader) }
            if member == "reactions" {
                try reader.array { (reader) throws(JSONReader.Fault) in reactions.append(try reaction(&reader)) }
            }
        }
        guard !reactions.isEmpty else { return }
        guard let id, let at = time(ofID: id) else {
            throw place.fault("this message has reactions and no \"id\" of Discord's")
        }
        for reaction in reactions {
            harvest.add(
                reaction.given, by: reaction.users, count: reaction.count, to: Harvest.Message(id: id, file: file),
                in: channel, at: at)
        }
    }

    private static func reaction(_ reader: inout JSONReader) throws(JSONReader.Fault) -> Reaction {
        let place = reader
        var given: Harvest.Given?
        var users: [String] = []
        var count: Int64?
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            switch member {
            case "emoji": given = try emoji(&reader)
            case "count": count = try reader.count()
            case "users":
                try reader.array { (reader) throws(JSONReader.Fault) in
                    let place = reader
                    guard let user = try id(&reader) else { throw place.fault("this user has no \"id\"") }
                    users.append(user)
                }
            default: break
            }
        }
        guard let given else { throw place.fault("this reaction has no \"emoji\" with a \"name\"") }
        return Reaction(given: given, users: users, count: count ?? Int64(users.count))
    }

    /// An emoji with an id is the server's own; another one's name is the emoji itself, and its code a name.
    private static func emoji(_ reader: inout JSONReader) throws(JSONReader.Fault) -> Harvest.Given? {
        var id: String?
        var name: String?
        var code: String?
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            switch member {
            case "id": id = reader.takeNull() ? nil : try reader.id()
            case "name": name = try reader.string()
            case "code": code = reader.takeNull() ? nil : try reader.string()
            default: break
            }
        }
        guard let name else { return nil }
        let isOwn = !(id ?? "").isEmpty
        return Harvest.Given(emoji: isOwn ? nil : name, name: isOwn ? name : code ?? name)
    }

    /// The Unix milliseconds in the upper 42 bits of an id, which count from 2015.
    private static func time(ofID id: String) -> Int64? {
        decimal(id, as: UInt64.self).map { Int64($0 >> 22) + 1_420_070_400_000 }
    }
}
