/// The fields of a head, in order; names are compared without case (RFC 9110 section 5).
public struct HTTPHeaders: Sendable {
    /// All fields, as they came or will go.
    public private(set) var pairs: [(name: String, value: String)]

    /// Makes a list of fields.
    public init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// Adds a field after those that are there, also where one of the name is.
    public mutating func append(_ name: String, _ value: String) {
        pairs.append((name, value))
    }

    /// The value of the first field of a name; `nil`: there is none.
    public subscript(name: String) -> String? {
        for pair in pairs where Self.isSame(pair.name, name) { return pair.value }
        return nil
    }

    /// The values of all fields of a name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        for pair in pairs where Self.isSame(pair.name, name) { values.append(pair.value) }
        return values
    }

    /// The elements of the comma-separated lists in all fields of a name, blanks and empty ones left out (section 5.6.1).
    public func elements(_ name: String) -> [String] {
        all(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring(Self.trim($0))) }.filter {
                !$0.isEmpty
            }
        }
    }

    /// Whether the lists of a name have an element, compared without case.
    public func hasElement(_ name: String, _ element: String) -> Bool {
        elements(name).contains { Self.isSame($0, element) }
    }

    static func isSame(_ name: String, _ other: String) -> Bool {
        let name = name.utf8.span
        let other = other.utf8.span
        guard name.count == other.count else { return false }
        for index in name.indices where Byte.lowercased(name[index]) != Byte.lowercased(other[index]) { return false }
        return true
    }

    static func trim(_ value: Substring.UTF8View) -> Substring.UTF8View {
        var trimmed = value.drop(while: Byte.isBlank)
        while let last = trimmed.last, Byte.isBlank(last) { trimmed = trimmed.dropLast() }
        return trimmed
    }
}
