/// The text by which a delivery of a raw run is known, wherever a server puts it; always as long, since some protocols
/// tell the length of what is published ahead of it.
struct Marker: Sendable {
    private let prefix: [UInt8]

    /// Makes the marker of a run.
    init(_ run: UInt32) {
        prefix = Array("ffl-\(Marker.padded(String(run, radix: 16), to: 8))-".utf8)
    }

    /// The marker of a request.
    func text(_ number: UInt64) -> String {
        "\(String(decoding: prefix, as: UTF8.self))\(Marker.padded(String(number), to: 10))."
    }

    private static func padded(_ digits: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// Finds all markers of this run in a text.
    func find(in text: Span<UInt8>, _ body: (UInt64) -> Void) {
        var position = 0
        while position + prefix.count < text.count {
            guard text[position] == prefix[0], isPrefix(text, position) else {
                position += 1
                continue
            }
            position += prefix.count
            if let number = number(text, &position) { body(number) }
        }
    }

    private func isPrefix(_ text: Span<UInt8>, _ start: Int) -> Bool {
        for offset in prefix.indices where text[start + offset] != prefix[offset] { return false }
        return true
    }

    private func number(_ text: Span<UInt8>, _ position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var digits = 0
        while position < text.count, digits < 15, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
            value = value * 10 + UInt64(digit)
            digits += 1
            position += 1
        }
        return digits > 0 && position < text.count && text[position] == UInt8(ascii: ".") ? value : nil
    }
}
