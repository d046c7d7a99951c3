/// Numbers from 0 up to 1, each far from those before it: what is laid out by them never bunches up, as by chance it may.
struct EvenSpread {
    private var place: UInt64

    /// Begins at some place of the circle, 2^64 around.
    init(from place: UInt64) {
        self.place = place
    }

    /// The next number, 0..<1: a golden section of the circle further on (a Weyl sequence).
    mutating func next() -> Double {
        place &+= 0x9E37_79B9_7F4A_7C15
        return Double(place >> 11) * 0x1p-53
    }
}
