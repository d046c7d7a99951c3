/// The fields of one object: which are there, and where in the text their values are.
///
/// Nothing has been copied, and this is not copied either, as it is large. Of a field named twice the last one counts; ``repeated`` tells.
struct Members: ~Copyable {
    /// What is named twice.
    enum Repetition {
        case none
        /// Another name than `id`.
        case some
        /// The id: there is none then.
        case id
    }

    private var values = InlineArray<64, JSONValue>(repeating: JSONValue(.null, 0, 0))
    private var present: UInt64 = 0
    /// Whether a name came twice, among the unknown ones too; those only where they were to be watched.
    private(set) var repetition = Repetition.none
    /// Whether any string of the whole text has a surrogate without a partner.
    private(set) var hasLoneSurrogate = false

    /// The value of a field; `nil` where it is left out.
    subscript(_ field: Field) -> JSONValue? {
        present & (1 &<< UInt64(field.rawValue)) == 0 ? nil : values.span[field.rawValue]
    }

    /// The value of a field; `nil` where it is left out or `null`.
    func unlessNull(_ field: Field) -> JSONValue? {
        guard let value = self[field], value.kind != .null else { return nil }
        return value
    }

    init() {}

    /// Reads the object at the scanner's position, which is inside `depth` arrays and objects.
    ///
    /// With `watchesNames` unknown names are compared with each other too, which costs an allocation where there are any.
    mutating func read(
        _ text: Span<UInt8>, with scanner: inout JSONScanner, depth: Int, watchesNames: Bool = false
    ) throws(NotJSON) {
        guard try scanner.begin(text, .closeBrace, depth: depth) else { return }
        var unknownNames: Set<[UInt8]> = []
        let fields = Field.words
        repeat {
            let name = try scanner.name(text)
            let value = try scanner.value(text, depth: depth &+ 1)
            if let field = name.word(of: fields, in: text) {
                set(field, value)
            } else if watchesNames, !unknownNames.insert(name.value.unescaped(in: text)).inserted {
                if repetition == .none { repetition = .some }
            }
        } while try scanner.goesOn(text, .closeBrace)
    }

    @inline(__always)
    private mutating func set(_ field: Field, _ value: JSONValue) {
        let bit: UInt64 = 1 &<< UInt64(field.rawValue)
        if present & bit != 0, repetition != .id { repetition = field == .id ? .id : .some }
        present |= bit
        values[field.rawValue] = value
    }

    /// Reads the one object that a whole text must be.
    init(_ text: Span<UInt8>, maxDepth: Int, watchesNames: Bool = false) throws(BadRequest) {
        var scanner = JSONScanner(maxDepth: maxDepth)
        do throws(NotJSON) {
            if try scanner.startsObject(text) {
                try read(text, with: &scanner, depth: 0, watchesNames: watchesNames)
                try scanner.end(text)
                hasLoneSurrogate = scanner.hasLoneSurrogate
                return
            }
            _ = try scanner.document(text)
        } catch {
            throw BadRequest(error)
        }
        throw BadRequest(reason: "not an object")
    }
}

extension JSONName {
    /// The word that this name is; `nil`: it is not in the vocabulary.
    @inline(__always)
    func word<Word>(of words: WordTable<Word>, in text: Span<UInt8>) -> Word? {
        value.kind == .string ? words.word(packed, length: value.range.count) : words.word(value, in: text)
    }
}
