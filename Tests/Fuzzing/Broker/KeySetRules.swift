import Broker

/// Any file gives keys and remarks, or an error, which point at one of its lines.
enum KeySetRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
        let set: TokenKeySet
        do throws(SettingsError) {
            set = try TokenKeySet(input)
        } catch {
            return try check(error.line, error.reason, lines)
        }
        for remark in set.remarks { try check(remark.line, remark.words, lines) }
        for (index, entry) in set.entries.enumerated() where entry.id != nil {
            try expect(!set.entries[..<index].contains(entry), "two keys of one name and algorithm")
        }
    }

    private static func check(_ line: Int, _ words: String, _ lines: Int) throws(Broken) {
        try expect((1...lines).contains(line), "words about line \(line) of \(lines)")
        try expect(!words.isEmpty, "no words")
        try expect(words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "words with control characters: \(words)")
    }
}
