/// Taking a string's value out of a text that a ``JSONScanner`` has read.
extension JSONValue {
    /// Whether the value is a string that names a text.
    var isString: Bool { kind == .string || kind == .escapedString }

    /// The string's value; `nil` where it is no string, has a surrogate without a partner, or is not UTF-8.
    func string(in text: Span<UInt8>) -> String? {
        switch kind {
        case .string: String(copying: text.extracting(range))
        case .escapedString: String(copying: unescaped(in: text).span)
        default: nil
        }
    }

    /// The bytes of a string's value.
    ///
    /// A surrogate without a partner becomes U+FFFD; of what is no string the bytes come as they are.
    func unescaped(in text: Span<UInt8>) -> [UInt8] {
        let text = text.extracting(range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == .backslash, kind != .string {
                let (scalar, length) = escapedScalar(in: text, at: index)
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                index &+= length
            } else {
                bytes.append(text[index])
                index &+= 1
            }
        }
        return bytes
    }
}

extension String {
    /// Copies bytes of a name.
    init(copyingASCII bytes: Span<UInt8>) {
        // Safe: the caller has found every byte to be ASCII, which needs no second look.
        self.init(copying: unsafe UTF8Span(unchecked: bytes, isKnownASCII: true))
    }

    /// Copies bytes that should be UTF-8; `nil` where they are not.
    init?(copying bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}

/// The scalar of the escape at an index, and how many bytes the escape has.
private func escapedScalar(in text: Span<UInt8>, at index: Int) -> (Unicode.Scalar, length: Int) {
    guard index &+ 1 < text.count else { return ("\u{FFFD}", 1) }
    switch text[index &+ 1] {
    case .letterB: return ("\u{8}", 2)
    case .letterF: return ("\u{C}", 2)
    case .letterN: return ("\n", 2)
    case .letterR: return ("\r", 2)
    case .letterT: return ("\t", 2)
    case .letterU: break
    case let byte: return (Unicode.Scalar(byte), 2)
    }
    let unit = escapedUnit(in: text, at: index)
    guard UTF16.isLeadSurrogate(unit) else { return (Unicode.Scalar(unit) ?? "\u{FFFD}", 6) }
    let trail = escapedUnit(in: text, at: index &+ 6)
    guard UTF16.isTrailSurrogate(trail) else { return ("\u{FFFD}", 6) }
    let value = 0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(trail & 0x3FF)
    return (Unicode.Scalar(value) ?? "\u{FFFD}", 12)
}

/// The UTF-16 code unit of a `\u` escape; 0 where there is none.
private func escapedUnit(in text: Span<UInt8>, at index: Int) -> UInt16 {
    guard index &+ 6 <= text.count, text[index] == .backslash, text[index &+ 1] == .letterU else { return 0 }
    var unit: UInt16 = 0
    for offset in 2..<6 { unit = unit << 4 | (text[index &+ offset].hexDigitValue ?? 0) }
    return unit
}
