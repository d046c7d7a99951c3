extension HTTPHeaders {
    /// Whether a body may come with the content coding gzip, and is not liked better without (RFC 9110 section 12.5.3).
    ///
    /// Where no `Accept-Encoding` came it may not: who can read it says so. A weight that is malformed counts as 0.
    public var acceptsGzip: Bool {
        var weights: [String: Int] = [:]
        for element in elements("accept-encoding") {
            let parts = element.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map(Self.trim)
            let coding = String(Substring(parts[0])).lowercased()
            weights[coding] = parts.count == 1 ? 1_000 : parts.count == 2 ? Self.weight(parts[1]) : 0
        }
        let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// A weight in thousandths (section 12.4.2): `q=` and a number from 0 to 1 with up to three digits behind the point.
    private static func weight(_ text: Substring.UTF8View) -> Int {
        guard let name = text.first, Byte.lowercased(name) == UInt8(ascii: "q"),
            text.dropFirst().first == UInt8(ascii: "=")
        else { return 0 }
        let number = text.dropFirst(2)
        let digits = number.dropFirst(2)
        guard let whole = number.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1"),
            number.count == 1 || number.dropFirst().first == UInt8(ascii: "."), digits.count <= 3,
            digits.allSatisfy(Byte.isDigit)
        else { return 0 }
        var thousandths = 0
        for place in 0..<3 { thousandths = thousandths * 10 + Int((digits.dropFirst(place).first ?? 0x30) - 0x30) }
        if whole == UInt8(ascii: "0") { return thousandths }
        return thousandths == 0 ? 1_000 : 0
    }
}
