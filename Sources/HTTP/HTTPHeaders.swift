/// The fields of a head, in order; names are compared without case (RFC 9110 section 5).
public struct HTTPHeaders: Sendable {
    /// Where a field lies in the bytes; both ranges are inside them.
    struct Place: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// What the fields are made of: the whole head as it came, so that only what is asked for becomes text.
    private var bytes: [UInt8]
    private var places: [Place]

    /// Makes a list of fields.
    public init(_ pairs: [(name: String, value: String)] = []) {
        bytes = []
        places = []
        for (name, value) in pairs { append(name, value) }
    }

    /// Takes a head with the places of its fields.
    init(head bytes: [UInt8], _ places: [Place]) {
        self.bytes = bytes
        self.places = places
    }

    /// How many fields there are.
    public var count: Int { places.count }

    /// All fields, as they came or will go.
    public var pairs: [(name: String, value: String)] {
        let bytes = bytes.span
        return places.map { (bytes.extracting($0.name).text, bytes.extracting($0.value).text) }
    }

    /// Adds a field after those that are there, also where one of the name is.
    public mutating func append(_ name: String, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let end = bytes.count
        bytes.append(contentsOf: value.utf8)
        places.append(Place(name: start..<end, value: end..<bytes.count))
    }

    /// The value of the first field of a name; `nil`: there is none.
    public subscript(name: String) -> String? {
        first(name).map { bytes.span.extracting(places[$0].value).text }
    }

    /// How many fields of a name there are.
    func count(of name: String) -> Int {
        var count = 0
        var next = first(name)
        while let index = next {
            count += 1
            next = first(name, from: index + 1)
        }
        return count
    }

    /// The values of all fields of a name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        var next = first(name)
        while let index = next {
            values.append(bytes.span.extracting(places[index].value).text)
            next = first(name, from: index + 1)
        }
        return values
    }

    /// Lends the name and the value of each field, in order.
    public func forEach(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let bytes = bytes.span
        for place in places { body(bytes.extracting(place.name), bytes.extracting(place.value)) }
    }

    /// Whether a field has a name of which something holds.
    func hasName(where holds: (Span<UInt8>) -> Bool) -> Bool {
        let bytes = bytes.span
        return places.contains { holds(bytes.extracting($0.name)) }
    }

    /// The elements of the comma-separated lists in all fields of a name, blanks and empty ones left out (section 5.6.1).
    public func elements(_ name: String) -> [String] {
        var elements: [String] = []
        forEachElement(of: name) { elements.append($0.text) }
        return elements
    }

    /// Whether the lists of a name have an element, compared without case.
    public func hasElement(_ name: String, _ element: String) -> Bool {
        var isFound = false
        forEachElement(of: name) { isFound = isFound || Self.isSame($0, element.utf8.span) }
        return isFound
    }

    private func forEachElement(of name: String, _ body: (Span<UInt8>) -> Void) {
        let bytes = bytes.span
        var next = first(name)
        while let index = next {
            let list = bytes.extracting(places[index].value)
            var start = 0
            while start < list.count {
                var end = start
                while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
                let element = FieldLine.trim(list, start..<end)
                if !element.isEmpty { body(list.extracting(element)) }
                start = end + 1
            }
            next = first(name, from: index + 1)
        }
    }

    /// The index of the first field of a name, from an index on.
    private func first(_ name: String, from start: Int = 0) -> Int? {
        let name = name.utf8.span
        let bytes = bytes.span
        for index in start..<places.count where places[index].name.count == name.count {
            if Self.isSame(bytes.extracting(places[index].name), name) { return index }
        }
        return nil
    }

    static func isSame(_ name: String, _ other: String) -> Bool {
        isSame(name.utf8.span, other.utf8.span)
    }

    static func isSame(_ name: Span<UInt8>, _ other: String) -> Bool {
        isSame(name, other.utf8.span)
    }

    private static func isSame(_ name: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
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
