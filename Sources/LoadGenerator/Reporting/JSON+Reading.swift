extension JSON {
    /// What is wrong with a text that should be JSON, for a person.
    struct Unreadable: Error, Sendable, Equatable {
        let message: String
    }

    /// Reads one JSON value (RFC 8259), at most 64 levels deep; of a name that stands twice the last counts.
    init(reading text: String) throws(Unreadable) {
        var reader = Reader(Array(text.utf8))
        self = try reader.whole()
    }

    /// The member of an object, by the names on the way to it.
    subscript(_ path: String...) -> JSON? {
        var value = self
        for name in path {
            guard case .object(let members) = value, let member = members.last(where: { $0.name == name }) else {
                return nil
            }
            value = member.value
        }
        return value
    }

    /// The number, where it is one.
    var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The text, where it is one.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func whole() throws(Unreadable) -> JSON {
            let value = try value(depth: 0)
            skipSpace()
            guard position == bytes.count else { throw unreadable("one value, and nothing behind it") }
            return value
        }

        private mutating func value(depth: Int) throws(Unreadable) -> JSON {
            guard depth < 64 else { throw unreadable("at most 64 levels") }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return try object(depth)
            case UInt8(ascii: "["): return try list(depth)
            case UInt8(ascii: "\""): return .text(try string())
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            default: return .number(try number())
            }
        }

        private mutating func object(_ depth: Int) throws(Unreadable) -> JSON {
            var members: [(name: String, value: JSON)] = []
            position += 1
            skipSpace()
            if take("}") { return .object(members) }
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw unreadable("a name in quotes") }
                let name = try string()
                skipSpace()
                guard take(":") else { throw unreadable("a colon") }
                members.append((name, try value(depth: depth + 1)))
                skipSpace()
            } while take(",")
            guard take("}") else { throw unreadable("a comma or }") }
            return .object(members)
        }

        private mutating func list(_ depth: Int) throws(Unreadable) -> JSON {
            var values: [JSON] = []
            position += 1
            skipSpace()
            if take("]") { return .list(values) }
            repeat {
                values.append(try value(depth: depth + 1))
                skipSpace()
            } while take(",")
            guard take("]") else { throw unreadable("a comma or ]") }
            return .list(values)
        }

        private mutating func string() throws(Unreadable) -> String {
            position += 1
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\"): text += try escaped()
                case 0..<0x20: throw unreadable("no control character in a text")
                default: text.append(byte)
                }
            }
            throw unreadable("the end of a text")
        }

        private mutating func escaped() throws(Unreadable) -> [UInt8] {
            guard let byte = next else { throw unreadable("an escape") }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
            case UInt8(ascii: "b"): return [8]
            case UInt8(ascii: "f"): return [12]
            case UInt8(ascii: "n"): return [10]
            case UInt8(ascii: "r"): return [13]
            case UInt8(ascii: "t"): return [9]
            case UInt8(ascii: "u"):
                var unit = try hex()
                if 0xD800..<0xDC00 ~= unit, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
                    bytes[position + 1] == UInt8(ascii: "u")
                {
                    position += 2
                    unit = 0x10000 + (unit & 0x3FF) << 10 + (try hex() & 0x3FF)
                }
                return Array(String(Character(Unicode.Scalar(unit) ?? "\u{FFFD}")).utf8)
            default: throw unreadable("an escape that there is")
            }
        }

        private mutating func hex() throws(Unreadable) -> UInt32 {
            guard position + 4 <= bytes.count,
                let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { throw unreadable("four digits") }
            position += 4
            return unit
        }

        private mutating func number() throws(Unreadable) -> Double {
            let start = position
            while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
            guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
                throw unreadable("a value")
            }
            return number
        }

        private mutating func word(_ word: String, _ value: JSON) throws(Unreadable) -> JSON {
            guard bytes[position...].starts(with: word.utf8) else { throw unreadable(word) }
            position += word.utf8.count
            return value
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let byte = next, UInt32(byte) == character.value else { return false }
            position += 1
            return true
        }

        private mutating func skipSpace() {
            while let byte = next, byte == 32 || (9...13).contains(byte) { position += 1 }
        }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private func unreadable(_ wanted: String) -> Unreadable {
            Unreadable(message: "no JSON: at byte \(position) there should be \(wanted)")
        }
    }
}
