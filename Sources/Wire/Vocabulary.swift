/// A set of words of the contract, so that a word in a text becomes a value at once.
///
/// No word is longer than 24 bytes, and there are at most 100.
protocol Vocabulary: CaseIterable, Sendable {
    /// The word as it stands in a message.
    var name: String { get }
    /// All words, by their bytes.
    static var words: WordTable<Self> { get }
}

extension Vocabulary where Self: RawRepresentable, RawValue == String {
    var name: String { rawValue }
}

/// The bytes of a word in three numbers, gathered while the word is read, so that it is compared at once.
///
/// Two words of the same length, at most 24 bytes, are equal exactly when these are.
struct PackedWord: Equatable, BitwiseCopyable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var top: UInt64 = 0

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        top = top << 8 | high >> 56
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(byte)
    }

    /// A number below 128, well spread.
    fileprivate var hash: Int {
        Int(truncatingIfNeeded: ((low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93) >> 57)
    }
}

/// From words to values: a small hash table with open addressing, never full.
struct WordTable<Word: Vocabulary>: Sendable {
    private struct Entry {
        var packed = PackedWord()
        var length = 0
        var word: Word?
    }

    private var entries = [Entry](repeating: Entry(), count: 128)

    init() {
        for word in Word.allCases {
            var entry = Entry(length: word.name.utf8.count, word: word)
            for byte in word.name.utf8 { entry.packed.append(byte) }
            var slot = entry.packed.hash
            while entries[slot].word != nil { slot = (slot &+ 1) & 127 }
            entries[slot] = entry
        }
    }

    /// The word of these bytes; `nil`: it is not in the vocabulary.
    @inline(__always)
    func word(_ packed: PackedWord, length: Int) -> Word? {
        var slot = packed.hash & 127
        while let word = entries[slot].word {
            if entries[slot].packed == packed, entries[slot].length == length { return word }
            slot = (slot &+ 1) & 127
        }
        return nil
    }

    /// The word that a string names; `nil`: it is not in the vocabulary.
    func word(_ value: JSONValue, in text: Span<UInt8>) -> Word? {
        switch value.kind {
        case .string: word(text.extracting(value.range))
        case .escapedString: word(value.unescaped(in: text).span)
        default: nil
        }
    }

    private func word(_ bytes: Span<UInt8>) -> Word? {
        var packed = PackedWord()
        for index in bytes.indices { packed.append(bytes[index]) }
        return word(packed, length: bytes.count)
    }
}
