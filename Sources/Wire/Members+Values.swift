/// Reading fields as what the contract says they are. Each says `nil` where the field is left out.
extension Members {
    func string(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> String? {
        guard let value = self[field] else { return nil }
        guard let string = value.string(in: text) else { throw .wrongKind(field) }
        return string
    }

    /// A string, or `null` for none.
    func stringOrNull(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> String? {
        unlessNull(field) == nil ? nil : try string(field, text)
    }

    /// A string of at most `maxBytes` bytes, each 0x21–0x7E, and at least one.
    func name(_ field: Field, _ text: Span<UInt8>, maxBytes: Int) throws(BadRequest) -> String? {
        guard let value = self[field] else { return nil }
        guard let name = try value.name(field, text, maxBytes: maxBytes) else { throw .outOfRange(field) }
        return name
    }

    func bool(_ field: Field) throws(BadRequest) -> Bool? {
        switch self[field]?.kind {
        case nil: nil
        case .true: true
        case .false: false
        default: throw .wrongKind(field)
        }
    }

    func wholeNumber(
        _ field: Field, _ text: Span<UInt8>, in range: ClosedRange<UInt64>
    ) throws(BadRequest) -> UInt64? {
        guard let value = self[field] else { return nil }
        guard value.kind == .wholeNumber else { throw .wrongKind(field) }
        guard let number = value.wholeNumber(in: text), range.contains(number) else { throw .outOfRange(field) }
        return number
    }

    func wholeNumber(_ field: Field, _ text: Span<UInt8>, in range: ClosedRange<Int>) throws(BadRequest) -> Int? {
        let range = UInt64(clamping: range.lowerBound)...UInt64(clamping: range.upperBound)
        return try wholeNumber(field, text, in: range).map { Int(clamping: $0) }
    }

    /// The id: a whole number or a short string.
    func id(_ text: Span<UInt8>) throws(BadRequest) -> RequestID? {
        guard let value = self[.id] else { return nil }
        switch value.kind {
        case .wholeNumber:
            guard let number = value.wholeNumber(in: text), number <= Shape.maxWholeNumber else {
                throw .outOfRange(.id)
            }
            return .number(number)
        case .string, .escapedString:
            guard let id = value.string(in: text), (1...Shape.maxIDBytes).contains(id.utf8.count) else {
                throw .outOfRange(.id)
            }
            return .text(id)
        default: throw .wrongKind(.id)
        }
    }
}

extension Optional {
    /// The value of a field that must not be left out.
    func required(_ field: Field) throws(BadRequest) -> Wrapped {
        guard let self else { throw .missing(field) }
        return self
    }
}

extension JSONValue {
    /// The number, where it is a whole one below 2^64.
    func wholeNumber(in text: Span<UInt8>) -> UInt64? {
        guard kind == .wholeNumber else { return nil }
        var number: UInt64 = 0
        for index in range where text[index] != .hyphen {  // `-0` is the only whole number with a sign
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(text[index] &- .zero))
            guard !overflows, !overflowsToo else { return nil }
            number = sum
        }
        return number
    }

    /// The string, where its shape is a name's; `nil` where the shape is wrong.
    func name(_ field: Field, _ text: Span<UInt8>, maxBytes: Int) throws(BadRequest) -> String? {
        switch kind {
        case .string:
            let bytes = text.extracting(range)
            return Shape.isName(bytes, maxBytes) ? String(copyingASCII: bytes) : nil
        case .escapedString:
            let bytes = unescaped(in: text)
            return Shape.isName(bytes.span, maxBytes) ? String(copyingASCII: bytes.span) : nil
        default: throw .wrongKind(field)
        }
    }
}
