/// Reads what ``ByteWriter`` writes; after the first fault everything is `nil`.
package struct ByteReader {
    private let bytes: [UInt8]
    private var index = 0
    private var isBroken = false

    /// Begins at the first byte.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all was read, without a fault.
    package var isAtEnd: Bool { !isBroken && index == bytes.count }

    package mutating func byte() -> UInt8? {
        guard !isBroken, index < bytes.count else { return fail() }
        index += 1
        return bytes[index - 1]
    }

    package mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
            guard let byte = byte() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return fail()
    }

    /// Reads a number that may be negative.
    package mutating func signed() -> Int64? {
        number().map { Int64(bitPattern: $0) }
    }

    /// Reads how many elements follow, each of at least one byte.
    package mutating func count() -> Int? {
        guard let count = number(), count <= UInt64(bytes.count - index) else { return fail() }
        return Int(count)
    }

    package mutating func text() -> String? {
        guard let length = count() else { return nil }
        let end = index + length
        guard let text = String(validating: bytes[index..<end], as: UTF8.self) else { return fail() }
        index = end
        return text
    }

    package mutating func blob() -> [UInt8]? {
        guard let length = count() else { return nil }
        index += length
        return Array(bytes[index - length..<index])
    }

    /// Reads what may be missing; the outer `nil` is a fault.
    package mutating func optional<Value>(_ read: (inout ByteReader) -> Value?) -> Value?? {
        switch byte() {
        case 0: return .some(nil)
        case 1:
            guard let value = read(&self) else { return fail() }
            return .some(value)
        default: return fail()
        }
    }

    /// Reads a list.
    package mutating func list<Element>(_ read: (inout ByteReader) -> Element?) -> [Element]? {
        guard let count = count() else { return nil }
        var list: [Element] = []
        for _ in 0..<count {
            guard let element = read(&self) else { return fail() }
            list.append(element)
        }
        return list
    }

    private mutating func fail<Value>() -> Value? {
        isBroken = true
        return nil
    }
}
