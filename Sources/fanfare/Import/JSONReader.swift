/// Reads a JSON text (RFC 8259) front to back, value by value, and knows where it is.
///
/// Exports are large and little of them is wanted, so nothing is built of what is skipped.
struct JSONReader {
    /// What is wrong, and at which byte.
    struct Fault: Error, Equatable {
        var offset: Int
        var words: String
    }

    /// How deep arrays and objects may lie in each other.
    static let maxDepth = 128

    private let bytes: [UInt8]
    private(set) var offset = 0
    private var depth = 0

    /// Takes a text; a byte-order mark before it is passed over.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// The line of a byte, from 1.
    func line(of offset: Int) -> Int {
        1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    /// Says that what begins like a word is none, or the half of one.
    private var wordFault: Fault {
        let rest = bytes[offset...]
        let isHalf = ["true", "false", "null"].contains { $0.utf8.starts(with: rest) }
        return isHalf ? Fault(offset: bytes.count, words: "the text ends too early") : fault("this is no value")
    }

    /// Says that what begins at the next byte is wrong.
    func fault(_ words: String) -> Fault {
        Fault(offset: offset, words: next == nil ? "the text ends too early" : words)
    }

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func advance() { offset += 1 }

    /// Goes over what may stand between values.
    mutating func passSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func take(_ byte: UInt8, _ words: String) throws(Fault) {
        passSpace()
        guard next == byte else { throw fault(words) }
        offset += 1
    }

    /// Goes over a word where it is next.
    mutating func takeWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        for index in 0..<count where unsafe bytes[offset + index] != word.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// A part of the text as characters; `nil` where it is not UTF-8.
    func text(_ range: Range<Int>) -> String? {
        String(validating: bytes[range], as: UTF8.self)
    }
}

// MARK: Arrays and objects

extension JSONReader {
    /// Reads an object; the body gets each member's name and reads its value, or leaves it.
    ///
    /// - Throws: `Fault` also where a name stands twice: one of the two values would be lost.
    mutating func object(_ body: (inout JSONReader, String) throws(Fault) -> Void) throws(Fault) {
        var names: Set<String> = []
        try members { (reader, name) throws(Fault) in
            guard names.insert(name).inserted else {
                throw reader.fault("\"\(brief(name))\" stands here for the second time")
            }
            try body(&reader, name)
        }
    }

    private mutating func members(_ body: (inout JSONReader, String) throws(Fault) -> Void) throws(Fault) {
        try enter(UInt8(ascii: "{"), "an object is expected here")
        passSpace()
        if next == UInt8(ascii: "}") { return leave() }
        while true {
            passSpace()
            let name = try string()
            try take(UInt8(ascii: ":"), "a colon is expected here")
            passSpace()
            let start = offset
            try body(&self, name)
            if offset == start { try skip() }
            passSpace()
            if next == UInt8(ascii: "}") { return leave() }
            try take(UInt8(ascii: ","), "a comma or the object's end is expected here")
        }
    }

    /// Reads an array; the body reads each element, or leaves it.
    mutating func array(_ body: (inout JSONReader) throws(Fault) -> Void) throws(Fault) {
        try enter(UInt8(ascii: "["), "an array is expected here")
        passSpace()
        if next == UInt8(ascii: "]") { return leave() }
        while true {
            passSpace()
            let start = offset
            try body(&self)
            if offset == start { try skip() }
            passSpace()
            if next == UInt8(ascii: "]") { return leave() }
            try take(UInt8(ascii: ","), "a comma or the array's end is expected here")
        }
    }

    /// Sees to it that nothing follows.
    mutating func end() throws(Fault) {
        passSpace()
        if next != nil { throw fault("nothing more is expected here") }
    }

    private mutating func enter(_ byte: UInt8, _ words: String) throws(Fault) {
        passSpace()
        guard next == byte else { throw fault(words) }
        guard depth < Self.maxDepth else { throw fault("this lies deeper than \(Self.maxDepth) arrays and objects") }
        depth += 1
        offset += 1
    }

    private mutating func leave() {
        depth -= 1
        offset += 1
    }

    /// Goes over a value, whatever it is.
    mutating func skip() throws(Fault) {
        passSpace()
        switch next {
        case UInt8(ascii: "{"): try members { (_, _) throws(Fault) in }
        case UInt8(ascii: "["): try array { (_) throws(Fault) in }
        case UInt8(ascii: "\""): _ = try stringRange()
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            guard takeWord("true") || takeWord("false") || takeWord("null") else { throw wordFault }
        default: _ = try numberRange()
        }
    }
}
