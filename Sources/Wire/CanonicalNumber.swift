/// A number of JSON with all its digits, however many: `digits` times ten to the `exponent`.
///
/// Decimal text alone, without floating point, so that numbers are equal exactly when they are the same number, and
/// an exponent of a thousand digits costs no more than its digits.
struct CanonicalNumber {
    private var isNegative: Bool
    /// ASCII digits, the first and the last not `0`; empty for zero.
    private var digits: [UInt8]
    private var exponent: Exponent

    /// Takes in the text of a number, which a scanner has read.
    init(_ text: Span<UInt8>) {
        isNegative = !text.isEmpty && text[0] == .hyphen
        digits = []
        exponent = Exponent()
        var isFraction = false
        var shift = 0
        var index = 0
        while index < text.count, text[index] != .letterE, text[index] != .capitalE {
            if text[index] == .fullStop { isFraction = true }
            if text[index].isDigit {
                if isFraction { shift &-= 1 }
                if text[index] != .zero || !digits.isEmpty { digits.append(text[index]) }
            }
            index &+= 1
        }
        if index < text.count { exponent = Exponent(text.extracting((index &+ 1)..<text.count)) }
        while digits.last == .zero {
            digits.removeLast()
            shift &+= 1
        }
        exponent.add(shift)
    }

    /// Writes the number in its one form.
    func append(to bytes: inout [UInt8]) {
        guard !digits.isEmpty else { return bytes.append(.zero) }
        if isNegative { bytes.append(.hyphen) }
        bytes.append(contentsOf: digits)
        exponent.append(to: &bytes)
    }

    /// A whole number of any size.
    private struct Exponent {
        private var isNegative = false
        /// The digits' values, the last one first; empty for zero.
        private var digits: [Int] = []

        init() {}

        init(_ text: Span<UInt8>) {
            isNegative = !text.isEmpty && text[0] == .hyphen
            for index in text.indices.reversed() where text[index].isDigit {
                digits.append(Int(text[index] &- .zero))
            }
            normalize()
        }

        private mutating func normalize() {
            while digits.last == 0 { digits.removeLast() }
        }

        /// Adds a small number, of at most some thousands.
        mutating func add(_ number: Int) {
            guard digits.count > 15 else { return addToSmall(number) }
            // Far from zero the sign stays, so it is enough to carry, or to borrow.
            var carry = isNegative ? -number : number
            var index = 0
            while carry != 0 {
                if index == digits.count { digits.append(0) }
                let sum = digits[index] &+ carry
                digits[index] = (sum % 10 &+ 10) % 10
                carry = (sum &- digits[index]) / 10
                index &+= 1
            }
            normalize()
        }

        private mutating func addToSmall(_ number: Int) {
            let magnitude = digits.reversed().reduce(0) { $0 &* 10 &+ $1 }
            let sum = (isNegative ? -magnitude : magnitude) &+ number
            isNegative = sum < 0
            digits = []
            var rest = sum.magnitude
            while rest > 0 {
                digits.append(Int(rest % 10))
                rest /= 10
            }
        }

        func append(to bytes: inout [UInt8]) {
            guard !digits.isEmpty else { return }
            bytes.append(.letterE)
            if isNegative { bytes.append(.hyphen) }
            for digit in digits.reversed() { bytes.append(.zero &+ UInt8(truncatingIfNeeded: digit)) }
        }
    }
}
