/// Goes through the elements of an array that a ``JSONScanner`` has read, and so found to be JSON.
struct JSONElements {
    private var scanner: JSONScanner
    private var isFirst = true

    init(_ array: JSONValue) {
        scanner = JSONScanner(at: array.range.lowerBound, maxDepth: .max)
    }

    /// The next element; `nil` at the end.
    mutating func next(_ text: Span<UInt8>) throws(BadRequest) -> JSONValue? {
        do throws(NotJSON) {
            guard try isFirst ? scanner.begin(text, .closeBracket, depth: 0) : scanner.goesOn(text, .closeBracket)
            else { return nil }
            isFirst = false
            return try scanner.value(text, depth: 1)
        } catch {
            throw BadRequest(error)
        }
    }
}

/// Goes through the members of an object that a ``JSONScanner`` has read, and so found to be JSON.
struct JSONMembers {
    private var scanner: JSONScanner
    private var isFirst = true

    init(_ object: JSONValue) {
        scanner = JSONScanner(at: object.range.lowerBound, maxDepth: .max)
    }

    /// The next member, its name being a string; `nil` at the end.
    mutating func next(_ text: Span<UInt8>) throws(BadRequest) -> (name: JSONValue, value: JSONValue)? {
        do throws(NotJSON) {
            guard try isFirst ? scanner.begin(text, .closeBrace, depth: 0) : scanner.goesOn(text, .closeBrace)
            else { return nil }
            isFirst = false
            let name = try scanner.name(text).value
            return (name, try scanner.value(text, depth: 1))
        } catch {
            throw BadRequest(error)
        }
    }
}
