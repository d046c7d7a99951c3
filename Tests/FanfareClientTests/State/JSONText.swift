import Foundation

/// A JSON value, for comparing what is seen with what is expected.
enum JSONText: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONText].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONText].self))
        }
    }

    /// Reads a value from bytes.
    init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONText.self, from: Data(bytes))
    }

    subscript(name: String) -> JSONText? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var integer: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }

    var elements: [JSONText]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// Says where this differs from what is expected, which names only what matters; lists are whole.
    func difference(from expected: JSONText, at place: String) -> String? {
        switch (self, expected) {
        case (.object(let found), .object(let expected)):
            return expected.lazy.sorted { $0.key < $1.key }.compactMap { name, value in
                (found[name] ?? .null).difference(from: value, at: "\(place).\(name)")
            }.first
        case (.array(let found), .array(let expected)) where found.count == expected.count:
            return zip(found, expected).enumerated().lazy.compactMap { index, pair in
                pair.0.difference(from: pair.1, at: "\(place)[\(index)]")
            }.first
        default:
            return self == expected ? nil : "\(place) is \(self), not \(expected)"
        }
    }
}

extension JSONText: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string):
            "\"" + string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        case .array(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
        }
    }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
}
