/// Zulip's export: `realm.json` has the reactions and says what recipients are; `messages-000001.json` and so on have the
/// messages.
///
/// When a reaction was given is not told: it has the time of its message.
enum ZulipExport {
    static func read(_ files: ForeignFiles, into harvest: inout Harvest) throws(ForeignFailure) {
        guard files.isFolder, files.has("realm.json") else {
            throw ForeignFailure(
                place: files.path(""), words: "this is no unpacked export of Zulip's: it has no realm.json")
        }
        if let half = try files.names(ending: ".json.partial").first {
            throw ForeignFailure(place: files.path(half), words: "the export was not finished")
        }
        var realm = try files.json("realm.json") { (reader) throws(JSONReader.Fault) in try Realm(&reader) }
        for file in try files.names(ending: ".json") where file.hasPrefix("messages-") {
            try files.json(file) { (reader) throws(JSONReader.Fault) in
                try reader.object { (reader, member) throws(JSONReader.Fault) in
                    guard member == "zerver_message" else { return }
                    try reader.array { (reader) throws(JSONReader.Fault) in
                        try message(&reader, &realm, file: files.path(file), into: &harvest)
                    }
                }
            }
        }
        if let message = realm.reactions.keys.min() {
            throw ForeignFailure(
                place: files.path("realm.json"),
                words: "there are reactions to the message \(message), which no file of messages has")
        }
    }

    /// One who reacted, and with what.
    private struct Reaction {
        var user: String
        var given: Harvest.Given
    }

    private struct Recipient {
        var kind: Int64
        var id: Int64
    }

    /// What is wanted of `realm.json`.
    private struct Realm {
        /// By the id of the message; what was handed over is gone.
        var reactions: [Int64: [Reaction]] = [:]
        var recipients: [Int64: Recipient] = [:]

        init(_ reader: inout JSONReader) throws(JSONReader.Fault) {
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "zerver_recipient":
                    try reader.array { (reader) throws(JSONReader.Fault) in try recipient(&reader) }
                case "zerver_reaction":
                    try reader.array { (reader) throws(JSONReader.Fault) in try reaction(&reader) }
                default: break
                }
            }
        }

        private mutating func recipient(_ reader: inout JSONReader) throws(JSONReader.Fault) {
            let place = reader
            var id: Int64?
            var kind: Int64?
            var target: Int64?
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "id": id = try reader.whole()
                case "type": kind = try reader.whole()
                case "type_id": target = try reader.whole()
                default: break
                }
            }
            guard let id, let kind, let target else {
                throw place.fault("this recipient needs \"id\", \"type\" and \"type_id\"")
            }
            guard recipients.updateValue(Recipient(kind: kind, id: target), forKey: id) == nil else {
                throw place.fault("the recipient \(id) stands here for the second time")
            }
        }

        private mutating func reaction(_ reader: inout JSONReader) throws(JSONReader.Fault) {
            let place = reader
            var user: Int64?
            var message: Int64?
            var name: String?
            var code: String?
            var kind: String?
            try reader.object { (reader, member) throws(JSONReader.Fault) in
                switch member {
                case "user_profile": user = try reader.whole()
                case "message": message = try reader.whole()
                case "emoji_name": name = try reader.string()
                case "emoji_code": code = try reader.string()
                case "reaction_type": kind = try reader.string()
                default: break
                }
            }
            guard let user, let message, let name, let code, let kind else {
                throw place.fault(
                    "this reaction needs \"user_profile\", \"message\", \"emoji_name\", \"emoji_code\" and \"reaction_type\""
                )
            }
            let emoji = kind == "unicode_emoji" ? ZulipExport.emoji(code) : nil
            guard emoji != nil || kind != "unicode_emoji" else {
                throw place.fault("the \"emoji_code\" of this reaction is no emoji's, such as 1f44d or 1f1e9-1f1ea")
            }
            reactions[message, default: []].append(
                Reaction(user: String(user), given: Harvest.Given(emoji: emoji, name: name)))
        }
    }

    /// How many characters an emoji's code may name.
    private static let maxScalars = 16

    /// What a code names in hexadecimal, with hyphens between the scalars; `nil` for what is no such code.
    ///
    /// Whether that is an emoji is for the rules of the namespace: Zulip may know more of them.
    private static func emoji(_ code: String) -> String? {
        var text = String.UnicodeScalarView()
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= maxScalars else { return nil }
        for part in parts {
            guard part.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let scalar = UInt32(part, radix: 16).flatMap(UnicodeScalar.init)
            else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    private static func message(
        _ reader: inout JSONReader, _ realm: inout Realm, file: String, into harvest: inout Harvest
    ) throws(JSONReader.Fault) {
        let place = reader
        var id: Int64?
        var sender: Int64?
        var recipient: Int64?
        var at: Int64?
        try reader.object { (reader, member) throws(JSONReader.Fault) in
            switch member {
            case "id": id = try reader.whole()
            case "sender": sender = try reader.whole()
            case "recipient": recipient = try reader.whole()
            case "date_sent": at = try reader.seconds()
            default: break
            }
        }
        guard let id, let sender, let recipient, let at else {
            throw place.fault("this message needs \"id\", \"sender\", \"recipient\" and \"date_sent\"")
        }
        guard let target = realm.recipients[recipient], let channel = channel(target, from: sender) else {
            throw place.fault("realm.json does not say what the recipient \(recipient) is")
        }
        harvest.note(channel)
        for reaction in realm.reactions.removeValue(forKey: id) ?? [] {
            harvest.add(
                reaction.given, by: [reaction.user], to: Harvest.Message(id: String(id), file: file), in: channel,
                at: at)
        }
    }

    /// A stream's id, or a name for a conversation of people.
    private static func channel(_ recipient: Recipient, from sender: Int64) -> String? {
        switch recipient.kind {
        case 1: "dm-\(min(sender, recipient.id))-\(max(sender, recipient.id))"
        case 2: String(recipient.id)
        case 3: "group-\(recipient.id)"
        default: nil
        }
    }
}
