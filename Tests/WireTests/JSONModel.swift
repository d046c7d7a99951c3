import Wire

/// JSON read in the plainest way, as a tree, straight from RFC 8259: what the scanner is compared with.
///
/// Strings are UTF-16 code units, so that a lone surrogate stays one.
indirect enum JSONModel: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt16])
    case array([JSONModel])
    case object([Member])

    struct Member: Equatable {
        var name: [UInt16]
        var value: JSONModel
    }

    struct Failure: Error {}

    /// Reads a whole text, of at most 32 levels.
    static func parse(_ text: String) throws -> JSONModel {
        var parser = Parser(rest: Array(text.utf16)[...])
        let value = try parser.element(levels: 32)
        guard parser.rest.isEmpty else { throw Failure() }
        return value
    }

    var hasLoneSurrogate: Bool {
        switch self {
        case .null, .bool, .number: false
        case .string(let units): Self.isBroken(units)
        case .array(let elements): elements.contains { $0.hasLoneSurrogate }
        case .object(let members): members.contains { Self.isBroken($0.name) || $0.value.hasLoneSurrogate }
        }
    }

    static func isBroken(_ units: [UInt16]) -> Bool {
        String(decoding: units, as: UTF16.self).utf16.elementsEqual(units) == false
    }

    private struct Parser {
        var rest: ArraySlice<UInt16>

        mutating func take(_ character: Character) -> Bool {
            guard let first = rest.first, let unit = character.utf16.first, first == unit else { return false }
            rest.removeFirst()
            return true
        }

        mutating func expect(_ word: String) throws {
            for character in word { guard take(character) else { throw Failure() } }
        }

        mutating func space() {
            while take(" ") || take("\n") || take("\r") || take("\t") {}
        }

        mutating func element(levels: Int) throws -> JSONModel {
            space()
            defer { space() }
            if take("{") { return .object(try members(levels: levels)) }
            if take("[") { return .array(try elements(levels: levels)) }
            if take("\"") { return .string(try string()) }
            switch rest.first {
            case UInt16(UInt8(ascii: "t")):
                try expect("true")
                return .bool(true)
            case UInt16(UInt8(ascii: "f")):
                try expect("false")
                return .bool(false)
            case UInt16(UInt8(ascii: "n")):
                try expect("null")
                return .null
            default: return .number(try number())
            }
        }

        mutating func members(levels: Int) throws -> [Member] {
            guard levels > 0 else { throw Failure() }
            space()
            if take("}") { return [] }
            var members: [Member] = []
            while true {
                space()
                try expect("\"")
                let name = try string()
                space()
                try expect(":")
                members.append(Member(name: name, value: try element(levels: levels - 1)))
                if take("}") { return members }
                try expect(",")
            }
        }

        mutating func elements(levels: Int) throws -> [JSONModel] {
            guard levels > 0 else { throw Failure() }
            space()
            if take("]") { return [] }
            var elements: [JSONModel] = []
            while true {
                elements.append(try element(levels: levels - 1))
                if take("]") { return elements }
                try expect(",")
            }
        }

        mutating func string() throws -> [UInt16] {
            var units: [UInt16] = []
            while let unit = rest.popFirst(), unit >= 0x20 {
                if unit == UInt16(UInt8(ascii: "\"")) { return units }
                units.append(unit == UInt16(UInt8(ascii: "\\")) ? try escape() : unit)
            }
            throw Failure()
        }

        mutating func escape() throws -> UInt16 {
            guard let unit = rest.popFirst(), let scalar = Unicode.Scalar(unit) else { throw Failure() }
            switch scalar {
            case "\"", "\\", "/": return unit
            case "b": return 8
            case "f": return 12
            case "n": return 10
            case "r": return 13
            case "t": return 9
            case "u":
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)
                guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let value = UInt16(digits, radix: 16) else {
                    throw Failure()
                }
                rest.removeFirst(4)
                return value
            default: throw Failure()
            }
        }

        mutating func number() throws -> String {
            let pattern = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/
            let candidate = String(
                decoding: rest.prefix { unit in
                    Unicode.Scalar(unit).map { "+-.0123456789eE".unicodeScalars.contains($0) } ?? false
                }, as: UTF16.self)
            guard let match = candidate.prefixMatch(of: pattern) else { throw Failure() }
            rest.removeFirst(match.output.0.count)
            return String(match.output.0)
        }
    }
}

extension JSONModel {
    /// What the contract says of a request with this text, where `ping` is the only type.
    static func verdict(_ text: String) -> Result<Request, BadRequest> {
        guard let value = try? parse(text) else { return .failure(BadRequest(reason: "", isMalformed: true)) }
        guard case .object(let members) = value else { return .failure(BadRequest(reason: "")) }
        func values(_ name: String) -> [JSONModel] {
            members.filter { $0.name == Array(name.utf16) }.map(\.value)
        }
        let id = values("id").first?.requestID
        guard values("id").count < 2, values("id").isEmpty || id != nil else {
            return .failure(BadRequest(reason: ""))
        }
        guard Set(members.map(\.name)).count == members.count, !value.hasLoneSurrogate,
            values("type") == [.string(Array("ping".utf16))]
        else { return .failure(BadRequest(id: id, reason: "")) }
        return .success(Request(id: id, .ping))
    }

    private var requestID: RequestID? {
        switch self {
        case .number("-0"): .number(0)
        case .number(let digits): UInt64(digits).flatMap { $0 < 1 << 53 ? .number($0) : nil }
        case .string(let units):
            Self.isBroken(units) || !(1...64).contains(String(decoding: units, as: UTF16.self).utf8.count)
                ? nil : .text(String(decoding: units, as: UTF16.self))
        default: nil
        }
    }
}
