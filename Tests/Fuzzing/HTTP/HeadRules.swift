import HTTP

/// A head in a form that can be compared.
struct PlainHead: Equatable {
    let words: [String?]
    let numbers: [Int?]
    let isChunked: Bool

    init(_ head: RequestHead) {
        words = [head.method, head.target, head.host] + head.headers.pairs.flatMap { [$0.name, $0.value] }
        numbers = [head.minorVersion, head.contentLength]
        isChunked = head.isChunked
    }
}

/// What holds for every head that was taken.
enum HeadRules {
    static func check(_ head: RequestHead, _ limits: HTTPLimits) throws(Broken) {
        try expect(!head.method.isEmpty && head.method.utf8.allSatisfy(isToken), "a method is no token")
        try expect(head.target.utf8.first == UInt8(ascii: "/") || head.target == "*", "a target of another form")
        try expect(head.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a target with other characters")
        try expect(head.headers.pairs.count <= limits.maxFields, "too many fields")
        for (name, value) in head.headers.pairs {
            try expect(!name.isEmpty && name.utf8.allSatisfy(isToken), "a field's name is no token")
            try expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "a field with control characters")
        }
        try expect(!head.isChunked || head.contentLength == nil, "both a length and chunks")
        try expect(head.contentLength ?? 0 >= 0, "a negative length")
        try expect(head.host != nil || head.minorVersion == 0, "no host")
        try checkRoundTrip(head)
        if let target = Target(head.target) { try checkTarget(target) }
    }

    /// Written plainly, the head is read as it was.
    private static func checkRoundTrip(_ head: RequestHead) throws(Broken) {
        var text = "\(head.method) \(head.target) HTTP/1.\(head.minorVersion)\r\n"
        for (name, value) in head.headers.pairs { text += "\(name): \(value)\r\n" }
        text += "\r\n"
        let bytes = Array(text.utf8)
        var parser = RequestHeadParser(limits: HTTPLimits(maxHeadBytes: .max, maxFields: .max, maxTargetBytes: .max))
        guard let (again, consumed) = try? parser.parse(bytes.span) else { throw Broken("\(text) is no head") }
        try expectSame(consumed, bytes.count, "a head's length")
        // An absolute target's host stands no more in the target.
        var expected = head
        expected.host = again.host
        try expectSame(PlainHead(again), PlainHead(expected), "a head came back otherwise")
    }

    private static func checkTarget(_ target: Target) throws(Broken) {
        let query = target.query.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
        let written = "/" + target.path.map(encode).joined(separator: "/") + "?" + query
        guard let again = Target(written) else { throw Broken("\(written) is no target") }
        try expectSame(again.path, target.path, "a path came back otherwise")
        try expectSame(again.query.map(\.name), target.query.map(\.name), "a query came back otherwise")
        try expectSame(again.query.map(\.value), target.query.map(\.value), "a query came back otherwise")
    }

    private static func encode(_ text: String) -> String {
        let digits = Array("0123456789abcdef")
        return String(text.utf8.flatMap { ["%", digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
