import Reactions
import Storage

/// Adds the reactions of a harvest to the channels of a store, as the rules of their namespace judge them.
struct HarvestImport {
    /// Whose rules judge, and what stands before the names of the export.
    struct Settings {
        /// The namespace's rules.
        var rules: Rules
        /// What stands before a channel's id, with the namespace: `chat:` or `chat:slack-`.
        var channelPrefix: String
        /// What stands before a user's id.
        var userPrefix = ""
        /// Users that are called otherwise here, by their ids in the export.
        var users: [String: String] = [:]
    }

    /// A reaction that the rules refuse.
    struct Refused: Equatable {
        var file: String
        var message: String
        var reaction: String
        var why: String

        /// The line that tells it; who reacted is not for a log.
        var line: String { "\(file): message \(brief(message)): the reaction \(brief(reaction)) is refused: \(why)" }
    }

    /// What came of it.
    struct Outcome {
        var channels = 0
        var added = 0
        /// How many were there already.
        var known = 0
        /// How many the export counts and names nobody for.
        var unnamed: Int64 = 0
        /// The first ones that were refused.
        var refused: [Refused] = []
        /// How many were refused for which reason.
        var refusals: [String: Int] = [:]

        var refusalCount: Int { refusals.values.reduce(0, +) }
    }

    /// How many refused reactions are told one by one.
    static let maxRefusedTold = 10
    /// How many records are written at once.
    private static let recordsAtOnce = 30_000

    let settings: Settings
    /// What is asked for and what it comes to, by the number of the reaction; the user by theirs.
    private let texts: [String]
    private let harvest: Harvest
    private let canonical: [Reaction?]
    /// Whether it is to be an emoji and is none: what else it may be, the export does not mean.
    private let isNoEmoji: [Bool]
    private let userNames: [String]
    private(set) var outcome = Outcome()

    init(_ harvest: Harvest, _ settings: Settings) {
        self.harvest = harvest
        self.settings = settings
        texts = harvest.reactions.values.map { Self.text(of: $0, settings.rules.kind) }
        canonical = texts.map { try? settings.rules.reaction(from: $0) }
        isNoEmoji = harvest.reactions.values.map { given in
            settings.rules.kind != .named
                && given.emoji.map { (try? Rules(kind: .emoji).reaction(from: $0)) == nil } ?? false
        }
        userNames = harvest.users.values.map { settings.users[$0] ?? settings.userPrefix + $0 }
    }

    /// What is asked for: an emoji where the namespace takes them and it is one, else the name.
    private static func text(of given: Harvest.Given, _ kind: ReactionKind) -> String {
        kind == .named ? given.name.lowercased() : given.emoji ?? given.name.lowercased()
    }

    /// The name of a channel here.
    func name(of channel: Harvest.Channel) -> String { settings.channelPrefix + channel.id }

    /// Adds a channel's reactions to what is there of it, the oldest first.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - image: What the store has of it.
    ///   - write: Takes the channel's counter and what is to be kept of the changes.
    /// - Throws: What `write` throws.
    mutating func add(
        _ channel: Harvest.Channel, to image: ChannelImage,
        write: (UInt64, [Record]) throws -> Void
    ) throws {
        outcome.channels += 1
        outcome.unnamed = outcome.unnamed.addingUpToMost(channel.unnamed)
        var ledger = Ledger(image)
        var records: [Record] = []
        let entries = channel.entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        for (_, entry) in entries {
            do throws(Refusal) {
                records += try add(entry, to: &ledger)
            } catch {
                note(entry, words(for: error, entry))
            }
            if records.count >= Self.recordsAtOnce {
                try write(ledger.seq, records)
                records.removeAll(keepingCapacity: true)
            }
        }
        if !records.isEmpty { try write(ledger.seq, records) }
    }

    /// Adds a reaction, unless the user has it on the message; gives what is to be kept.
    private mutating func add(_ entry: Harvest.Entry, to ledger: inout Ledger) throws(Refusal) -> [Record] {
        let message = harvest.messages[entry.message].id
        let user = userNames[Int(entry.user)]
        try check(message: message, user: user)
        if isNoEmoji[Int(entry.reaction)] { throw .invalidReaction }
        if let reaction = canonical[Int(entry.reaction)], settings.rules.policy != .distinct {
            let own = ledger.own(of: user, on: message)
            if own.contains(where: { $0.reaction == reaction }) {
                outcome.known += 1
                return []
            }
            if settings.rules.policy == .unique, !own.isEmpty {
                throw .tooManyReactions("the policy is unique, and the user has another reaction on the message")
            }
        }
        let done = try ledger.apply(
            Operation(.add(reaction: texts[Int(entry.reaction)], count: nil, data: nil), message: message, user: user),
            rules: settings.rules, at: entry.at)
        if done.changes.isEmpty { outcome.known += 1 } else { outcome.added += 1 }
        return done.records
    }

    private func check(message: String, user: String) throws(Refusal) {
        guard BrokerOptions.isName(message, upTo: 128), !["-", ".", "..", "*"].contains(message) else {
            throw .badRequest("this is no message id: 1 to 128 visible ASCII characters")
        }
        guard BrokerOptions.isName(user, upTo: 128) else {
            throw .badRequest("the user's name is not 1 to 128 visible ASCII characters")
        }
    }

    private mutating func note(_ entry: Harvest.Entry, _ why: String) {
        outcome.refusals[why, default: 0] += 1
        guard outcome.refused.count < Self.maxRefusedTold else { return }
        let message = harvest.messages[entry.message]
        outcome.refused.append(
            Refused(file: message.file, message: message.id, reaction: harvest.reactions[entry.reaction].name, why: why)
        )
    }

    private func words(for refusal: Refusal, _ entry: Harvest.Entry) -> String {
        switch refusal {
        case .badRequest(let words), .tooManyReactions(let words): words
        case .invalidReaction where harvest.reactions[entry.reaction].emoji != nil:
            "it is no emoji that is known here"
        case .invalidReaction where settings.rules.kind == .emoji:
            "it is no emoji, and the namespace takes no names (reactions.kind)"
        case .invalidReaction: "its name is not 1 to 64 of a-z, 0-9, _, + and -"
        case .reactionNotAllowed: "the namespace does not list it (reactions.allowed)"
        case .frozen: "the channel is frozen"
        case .messageDeleted: "the message was deleted here"
        case .keyReused: "its key was used"
        }
    }
}
