/// Tells whether two requests with the same key have the same body (PROTOCOL.md section 3).
///
/// The same on every machine and in every run: FNV-1a of 128 bits. Whoever makes two bodies collide deceives
/// nobody but himself, as keys are each user's own.
struct Fingerprint: Sendable, Hashable {
    private(set) var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    /// The fingerprint of an operation's body; reactions count in their canonical form.
    init(of operation: Operation, rules: Rules) {
        mix(operation.message)
        switch operation.action {
        case .add(let reaction, let count, let data):
            mix(byte: 1)
            mix(reaction, rules)
            mix(UInt64(clamping: count ?? 1))
            mix(optional: data?.canonical)
        case .remove(let reaction, let count):
            mix(byte: 2)
            mix(reaction, rules)
            mix(UInt64(clamping: count ?? 0))
        case .toggle(let reaction, let count, let data):
            mix(byte: 3)
            mix(reaction, rules)
            mix(UInt64(clamping: count ?? 1))
            mix(optional: data?.canonical)
        case .set(let reactions):
            mix(byte: 4)
            for reaction in rules.distinct(reactions) { mix(reaction) }
        case .clear(let reaction, let user):
            mix(byte: 5)
            mix(optional: reaction.map { rules.canonical($0)?.text ?? $0 })
            mix(optional: user)
        case .delete:
            mix(byte: 6)
        case .freeze(let frozen):
            mix(byte: frozen ? 7 : 8)
        }
    }

    /// Reads the form that ``bytes`` writes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Sixteen bytes, the highest first.
    var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
    }

    private mutating func mix(byte: UInt8) {
        value = (value ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
    }

    private mutating func mix(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// With its length, so that no two lists of texts look the same.
    private mutating func mix(_ text: String) {
        mix(UInt64(text.utf8.count))
        for byte in text.utf8 { mix(byte: byte) }
    }

    private mutating func mix(optional text: String?) {
        mix(byte: text == nil ? 0 : 1)
        if let text { mix(text) }
    }

    private mutating func mix(_ reaction: String, _ rules: Rules) {
        mix(rules.canonical(reaction)?.text ?? reaction)
    }
}

extension Rules {
    /// What a `set` names, canonical where it is a reaction at all, each once.
    func distinct(_ raw: [String]) -> [String] {
        var seen: Set<Reaction> = []
        return raw.map { canonical($0) ?? Reaction(canonical: $0) }.filter { seen.insert($0).inserted }.map(\.text)
    }
}
