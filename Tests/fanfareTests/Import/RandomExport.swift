import Foundation
import Reactions
import TestSupport

@testable import fanfare

/// A key that was used, as a ledger writes it down.
func usedKey(user: String, key: String, at: Int64) -> Record {
    var ledger = Ledger()
    let operation = Operation(.add(reaction: "👍", count: nil, data: nil), message: "m1", user: user, key: key)
    let outcome = try? ledger.apply(operation, rules: Rules(), at: at)
    return outcome?.records.first { if case .key = $0 { true } else { false } } ?? .frozen(false)
}

/// The lines of an export as they come to a random mind, and what may be wrong with them.
struct RandomExport {
    private typealias Line = [String: Any]

    private var lines: [Line] = []

    /// The largest number that an import takes.
    private static let mostNumber = 1 << 53 - 1 << 40
    private static let reactions = ["👍", "\u{2764}", "👋🏽", "party_parrot", "+1"]
    private static let names = ["a", "ada", "m1", "x:y", "~", String(repeating: "n", count: 128)]

    /// An export with nothing wrong in it.
    static func lines(_ random: inout SeededGenerator) throws -> RandomExport {
        var export = RandomExport()
        let channels = random.some(of: ["chat:1", "chat:2", "tap:1", "lobby", ":", String(repeating: "c", count: 200)])
        export.lines = [["type": "export", "version": 1, "epoch": "e", "channels": channels.count]]
        for channel in channels { try export.add(channel, &random) }
        for user in random.some(of: names) {
            let at = random.pick([0, 5, Self.mostNumber])
            export.lines.append(["type": "revocation", "user": user, "at": at, "by": "mod"])
        }
        for action in random.some(of: ["cleared", "deleted", "frozen", "unfrozen", "revoked"]) {
            var line: Line = ["type": "audit", "action": action, "at": 7, "by": "mod"]
            if random.once(in: 2) { line["message"] = random.pick(["*", "", "m1"]) }
            if random.once(in: 2) { line["channel"] = "chat:1" }
            if random.once(in: 2) { line["user"] = random.pick(["", "ada"]) }
            if random.once(in: 2) { line["removed"] = 3 }
            export.lines.append(line)
        }
        export.end()
        return export
    }

    private mutating func add(_ channel: String, _ random: inout SeededGenerator) throws {
        let seq = random.pick([40, Self.mostNumber])
        lines.append(["type": "channel", "channel": channel, "seq": seq, "frozen": random.once(in: 3)])
        for message in random.some(of: ["", "-1"] + Self.names) {
            let isDeleted = random.once(in: 5)
            lines.append([
                "type": "message", "message": message, "changed": random.pick([0, 7, seq]), "deleted": isDeleted,
            ])
            guard !isDeleted else { continue }
            for reaction in random.some(of: Self.reactions) {
                lines.append([
                    "type": "group", "message": message, "reaction": reaction, "started": random.pick([0, 40]),
                    "first": random.pick([0, 5]), "last": random.pick([5, Self.mostNumber]),
                ])
                for user in random.some(of: Self.names) { add(reaction, message, user, &random) }
            }
        }
        for user in random.some(of: Self.names) {
            let record = usedKey(user: user, key: "k/1", at: random.pick([5, 6, 600_000]))
            guard let line = ExportLine(record) else { continue }
            let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(line))
            lines.append(object as? Line ?? [:])
        }
    }

    private mutating func add(_ reaction: String, _ message: String, _ user: String, _ random: inout SeededGenerator) {
        let given = random.pick([0, 1, 39])
        var line: Line = [
            "type": "reaction", "message": message, "reaction": reaction, "user": user,
            "count": random.pick([1, 700, 1 << 48]), "given": given, "touched": given + 1, "at": 5,
        ]
        if random.once(in: 3) { line["data"] = #"{"b":1.50,"a":"\u00e4"}"# }
        lines.append(line)
    }

    private mutating func end() {
        lines.append(["type": "end", "lines": lines.count + 1])
    }

    /// The lines as text.
    func texts() throws -> [String] {
        try lines.map { line in
            String(
                decoding: try JSONSerialization.data(withJSONObject: line, options: [.withoutEscapingSlashes]),
                as: UTF8.self)
        }
    }

    // MARK: Damage

    private static var values: [Any] {
        [
            -1, 0, 1, 41, 1 << 53, (1 << 53) + 1, Int.max, UInt64.max, 1e300, 1.5, true, NSNull(), [1], "", " ", "a b",
            "\u{7}", "-", ".", "..", "*", "é", "👍👍", "👍🏽", "m1", "ada", "message", "reaction", "group",
            String(repeating: "a", count: 129), String(repeating: "a", count: 201), "AP8=",
        ]
    }

    /// Does one to three things to the lines; most of the time they say their number rightly afterwards.
    mutating func damage(_ random: inout SeededGenerator) {
        for _ in 0...Int.random(in: 0...2, using: &random) where !lines.isEmpty {
            let index = Int.random(in: lines.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[index], at: Int.random(in: lines.indices, using: &random))
            case 2: lines.swapAt(index, Int.random(in: lines.indices, using: &random))
            default:
                guard let field = lines[index].keys.sorted().randomElement(using: &random) else { break }
                lines[index][field] = random.once(in: 6) ? nil : random.pick(Self.values)
            }
        }
        guard !random.once(in: 8), lines.last?["type"] as? String == "end" else { return }
        lines[lines.count - 1]["lines"] = lines.count
    }
}
