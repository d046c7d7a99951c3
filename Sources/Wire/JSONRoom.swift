// @safe: every write is bounded by the room that is left, and nothing keeps the object beyond the call that lent it.
/// Room for one JSON text at the end of bytes that are going out, made beforehand, so that a piece costs a few moves.
///
/// Where a text turns out to need more room, it is marked as cut, and written anew by who made the room.
@safe
struct JSONRoom: ~Copyable {
    private let start: UnsafeMutablePointer<UInt8>
    private let size: Int
    /// How many bytes are written.
    private(set) var count = 0
    /// Whether something had no room.
    private(set) var isCut = false

    /// Takes over the room that a buffer has.
    fileprivate init(_ start: UnsafeMutablePointer<UInt8>, size: Int) {
        unsafe self.start = start
        self.size = size
    }

    /// Writes a piece of JSON from the source.
    @inline(__always)
    mutating func write(json piece: StaticString) {
        let length = piece.utf8CodeUnitCount
        guard length <= size &- count else { return isCut = true }
        // Room was checked just now, and the piece is the literal itself.
        unsafe (start + count).update(from: piece.utf8Start, count: length)
        count &+= length
    }

    @inline(__always)
    private mutating func write(byte: UInt8) {
        guard count < size else { return isCut = true }
        // Room was checked just now.
        unsafe start[count] = byte
        count &+= 1
    }

    /// Writes a string with its quotes; only quotes, backslashes and control characters are escaped.
    mutating func write(_ string: String) {
        let characters = string.utf8.span
        guard characters.count &+ 2 <= size &- count else { return isCut = true }
        let before = count
        // Room for all that is not escaped was checked just now.
        unsafe start[count] = .quote
        count &+= 1
        var isPlain = true
        for index in characters.indices {
            let byte = characters[index]
            if byte < 0x20 || byte == .quote || byte == .backslash { isPlain = false }
            unsafe start[count &+ index] = byte
        }
        count &+= characters.count
        unsafe start[count] = .quote
        count &+= 1
        guard !isPlain else { return }
        count = before
        var escaped: [UInt8] = []
        escaped.append(string: string)
        for byte in escaped { write(byte: byte) }
    }

    /// Writes a text that is JSON already.
    mutating func write(data text: String) {
        let bytes = text.utf8.span
        guard bytes.count <= size &- count else { return isCut = true }
        for index in bytes.indices {
            // Room for all of it was checked just now.
            unsafe start[count &+ index] = bytes[index]
        }
        count &+= bytes.count
    }

    /// Writes a whole number in decimal digits.
    mutating func write(_ number: UInt64) {
        var digits = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            digits &+= 1
        }
        guard digits <= size &- count else { return isCut = true }
        rest = number
        for index in (0..<digits).reversed() {
            // Room for all digits was checked just now.
            unsafe start[count &+ index] = .zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digits
    }

    mutating func write(_ number: Int64) {
        if number < 0 { write(byte: .hyphen) }
        write(number.magnitude)
    }

    mutating func close() { write(byte: .closeBrace) }

    mutating func null() { write(json: "null") }

    // MARK: Members

    @inline(__always)
    mutating func member(_ piece: StaticString, _ value: String) {
        write(json: piece)
        write(value)
    }

    @inline(__always)
    mutating func member(_ piece: StaticString, _ value: UInt64) {
        write(json: piece)
        write(value)
    }

    @inline(__always)
    mutating func member(_ piece: StaticString, _ value: Int64) {
        write(json: piece)
        write(value)
    }

    @inline(__always)
    mutating func member(_ piece: StaticString, _ value: Bool) {
        write(json: piece)
        write(json: value ? "true" : "false")
    }

    /// Writes a member that is `null` where there is no value.
    @inline(__always)
    mutating func member(_ piece: StaticString, orNull value: String?) {
        write(json: piece)
        if let value { write(value) } else { null() }
    }

    @inline(__always)
    mutating func member(_ piece: StaticString, ifAny value: String?) {
        if let value { member(piece, value) }
    }

    @inline(__always)
    mutating func member(_ piece: StaticString, ifAny value: UInt64?) {
        if let value { member(piece, value) }
    }

    mutating func member(_ piece: StaticString, _ id: RequestID?) {
        switch id {
        case .number(let number): member(piece, number)
        case .text(let text): member(piece, text)
        case nil: break
        }
    }
}

extension [UInt8] {
    /// Appends one JSON text of about `size` bytes; it is written once more, in more room, where it has more.
    @inline(__always)
    mutating func append(json size: Int, _ write: (inout JSONRoom) -> Void) {
        var size = size
        while true {
            var isCut = false
            append(addingCapacity: size) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    guard let base = buffer.baseAddress else { return }
                    // The buffer's free part, for as long as the closure runs.
                    var room = unsafe JSONRoom(base + count, size: buffer.count - count)
                    write(&room)
                    isCut = room.isCut
                    if !isCut { count += room.count }
                }
            }
            guard isCut else { return }
            size = size * 8 + 1_024
        }
    }
}
