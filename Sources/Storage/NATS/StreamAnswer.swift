/// What JetStream answers as JSON, as far as it is needed here.
///
/// The texts looked for stand ahead of anything that a client could have put in.
struct StreamAnswer {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The place in the stream: of what was appended, or read.
    var sequence: UInt64? { number(after: "\"seq\":") }

    /// JetStream's own number of what went wrong; `nil`: nothing.
    var errorCode: UInt64? {
        guard position(after: "\"error\":") != nil else { return nil }
        return number(after: "\"err_code\":") ?? 0
    }

    /// What JetStream says of a stream that is not there.
    static let noStream: UInt64 = 10059

    /// Whether a replica says that it knows of no leader: it answers all the same, ahead of a leader of which it has not
    /// heard since servers were cut off from each other, and as long as that lasts.
    var isOfLeaderless: Bool { bytes.count < 512 && errorCode == 10008 }

    /// Whether a replica tells of its stream that knows of no leader: what it tells is no sign that the stream takes
    /// anything, as where there is no majority.
    var isOfStreamWithoutLeader: Bool {
        guard let cluster = position(after: "\"cluster\":{") else { return false }
        return position(after: "\"leader\":\"", from: cluster) == nil
    }

    /// Whether what tells of a stream is a server that belongs to no cluster; `nil`: it tells of none.
    var isOfServerAlone: Bool? {
        guard errorCode == nil, position(after: "\"config\":{") != nil else { return nil }
        return position(after: "\"cluster\":{") == nil
    }

    /// What a stream is set to, as it stands there without quotation marks; `nil`: nothing is said of that.
    func setting(_ name: String) -> String? {
        guard let config = position(after: "\"config\":{"), let start = position(after: "\"\(name)\":", from: config)
        else { return nil }
        let value = bytes[start...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        return String(decoding: value.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// What JetStream says where a message was to be put behind another one than the last.
    static let wrongLast: UInt64 = 10071

    /// What went wrong, for a person.
    var errorWords: String {
        // The server escapes what would mean something in HTML.
        text(after: "\"description\":\"").map { words in
            let plain = [("\\u003e", ">"), ("\\u003c", "<"), ("\\u0026", "&")].reduce(words) { words, escape in
                words.split(separator: escape.0, omittingEmptySubsequences: false).joined(separator: escape.1)
            }
            return StreamAnswer.withoutFile(plain)
        } ?? "JetStream refused it"
    }

    /// What a server says of a file that failed, such as `write /DIR/1.blk: no space left on device`, without its name there.
    static func withoutFile(_ words: String) -> String {
        guard let file = words.firstRange(of: " /"), !words[..<file.lowerBound].contains(" "),
            let end = words[file.upperBound...].firstRange(of: ": ")
        else { return words }
        let reason = words[end.upperBound...]
        let isFull = reason.contains("no space left") || reason.contains("quota exceeded")
        return "a NATS server cannot write to its disk\(isFull ? ", which is full" : ""): \(reason)"
    }

    /// When the message that was read was stored, by the clock of the stream's leader of then, in Unix milliseconds.
    var time: Int64? { text(after: "\"time\":\"").flatMap(Timestamp.milliseconds) }

    /// The bytes of the message that was read.
    var data: [UInt8]? {
        guard let text = text(after: "\"data\":\"") else { return [] }
        return Base64.bytes(of: text)
    }

    /// Whether a text stands in it.
    func contains(_ text: String) -> Bool { position(after: text) != nil }

    /// The first text without escapes that stands between two others.
    func text(between begin: String, and end: String) -> String? {
        guard let found = text(after: begin), let range = (found + "\"").firstRange(of: end) else { return nil }
        return String(found[..<min(range.lowerBound, found.endIndex)])
    }

    private func position(after text: String, from beginning: Int = 0) -> Int? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count - beginning >= wanted.count else { return nil }
        for start in beginning...(bytes.count - wanted.count)
        where bytes[start] == first && bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return start + wanted.count
        }
        return nil
    }

    private func number(after text: String) -> UInt64? {
        guard let start = position(after: text) else { return nil }
        let digits = bytes[start...].drop { $0 == UInt8(ascii: " ") }.prefix { (0x30...0x39).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    /// A text without escapes.
    private func text(after text: String) -> String? {
        guard let start = position(after: text) else { return nil }
        return String(decoding: bytes[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}

/// RFC 4648 section 4.
enum Base64 {
    /// Reads a text; `nil` where it is none.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 where character != UInt8(ascii: "=") {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
