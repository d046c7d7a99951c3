import CommandOptions
import Foundation
import Storage

/// `fanfare audit`: prints what moderators did.
enum AuditCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare audit", summary: "Prints what moderators did, from the store's file: the broker may run or not.",
        options: DataOption.all + [
            .value("channel", "CHANNEL", "only what was done in this channel"),
            .value("user", "NAME", "only what was done to this user"),
            .value("by", "NAME", "only what this moderator did"),
            .value(
                "since", "TIME",
                "only what was done since: 2h or 7d ago, 2026-11-30, or 2026-11-30T12:00:00Z; 0 for all"),
            .value("limit", "N", "the newest so many", default: "1000"),
            .flag("json", "one JSON object a line"),
        ],
        examples: [
            .init("fanfare audit --since 24h", "what happened since yesterday"),
            .init("fanfare audit --user mallory --json", "all that was done to mallory, for a program"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let file = try DataOption.ownFile(words)
            let query = try query(words, now: Int64(Date().timeIntervalSince1970 * 1000))
            let entries: [AuditEntry]
            do throws(StoreError) { entries = try AuditTrail.read(file, query) } catch {
                complain("fanfare audit: \(error.reason)")
                return ExitCode.failed
            }
            let output = StandardOutput()
            for entry in entries {
                try output.write((words.flag("json") ? AuditLine.json(entry) : AuditLine.text(entry)) + "\n")
            }
            return ExitCode.done
        }
    }

    /// What is asked for.
    ///
    /// - Parameters:
    ///   - words: The words of the command.
    ///   - now: The present moment in Unix milliseconds.
    /// - Returns: The query.
    /// - Throws: `UsageError` where a word is wrong.
    static func query(_ words: CommandWords, now: Int64) throws(UsageError) -> AuditTrail.Query {
        AuditTrail.Query(
            channel: words.textIfAny("channel"), user: words.textIfAny("user"), by: words.textIfAny("by"),
            since: try since(words, now), limit: try words.whole("limit", in: 1...1_000_000))
    }

    private static func since(_ words: CommandWords, _ now: Int64) throws(UsageError) -> Int64? {
        guard let text = words.textIfAny("since") else { return nil }
        // Unix time zero, when nothing had been done.
        if text == "0" { return nil }
        if let ago = parseDuration(text) { return now - Int64(ago.components.seconds) * 1000 }
        for style in [Date.ISO8601FormatStyle(), .init().year().month().day()] {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970 * 1000) }
        }
        throw UsageError("--since is 2h or 7d, 2026-11-30, or 2026-11-30T12:00:00Z, not \"\(text)\"")
    }
}

/// One entry of the audit as a line.
enum AuditLine {
    private struct Line: Encodable {
        var time: String
        var at: Int64
        var action: String
        var by: String
        var channel: String?
        var message: String?
        var reaction: String?
        var user: String?
        var removed: UInt64?
        var seq: UInt64?
    }

    /// For people: `2026-11-30T12:00:00.123Z mod cleared 👎 of mallory on m1 in chat:42: 3 removed (seq 24)`.
    static func text(_ entry: AuditEntry) -> String {
        var words = [time(entry), entry.by, entry.action.rawValue]
        if let reaction = entry.reaction { words.append(reaction) }
        if let user = entry.user {
            let name = user.isEmpty ? "a user who is not named" : user
            words.append(entry.action == .cleared ? "of \(name)" : name)
        }
        switch entry.message {
        case nil: break
        case "": words.append("on the channel itself")
        case "*": words.append("on all messages")
        case let message?: words.append("on \(message)")
        }
        if let channel = entry.channel { words.append(entry.message == nil ? channel : "in \(channel)") }
        var line = words.joined(separator: " ")
        if let removed = entry.removed { line += ": \(removed) removed" }
        if let seq = entry.seq { line += " (seq \(seq))" }
        return printable(line)
    }

    /// For programs: the entry's fields, those that it does not have left out.
    static func json(_ entry: AuditEntry) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(
            time: time(entry), at: entry.at, action: entry.action.rawValue, by: entry.by, channel: entry.channel,
            message: entry.message, reaction: entry.reaction, user: entry.user, removed: entry.removed, seq: entry.seq)
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }

    private static func time(_ entry: AuditEntry) -> String {
        // Whole seconds and the rest apart, for a fraction of a second is not always a `Date`.
        let rest = (entry.at % 1000 + 1000) % 1000
        let second = Date(timeIntervalSince1970: Double((entry.at - rest) / 1000)).ISO8601Format()
        return second.dropLast() + "." + String(1000 + rest).dropFirst() + "Z"
    }
}
