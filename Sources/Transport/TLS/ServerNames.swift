/// Which certificate is for which server name (RFC 6066 section 3, RFC 9525 section 6.3).
struct ServerNames: Sendable {
    private var exact: [String: Int] = [:]
    /// By what stands behind the `*.`.
    private var wildcards: [String: Int] = [:]

    /// Notes a certificate's names, `*.` for any one label; where two have the same, the first one stays.
    mutating func add(_ names: [String], for index: Int) {
        for name in names {
            let name = Self.normalized(name)
            if name.hasPrefix("*.") {
                wildcards[String(name.dropFirst(2))] = wildcards[String(name.dropFirst(2))] ?? index
            } else {
                exact[name] = exact[name] ?? index
            }
        }
    }

    /// The certificate for a name that a client asks for; nil where none is.
    ///
    /// Letters match in either case, and a final dot says nothing. Names of other scripts come, as they stand in
    /// certificates, in their ASCII form (`xn--…`, RFC 5890).
    func index(for name: String) -> Int? {
        let name = Self.normalized(name)
        if let index = exact[name] { return index }
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return nil }
        return wildcards[String(name[name.index(after: dot)...])]
    }

    private static func normalized(_ name: String) -> String {
        let name = name.hasSuffix(".") ? name.dropLast() : name[...]
        return String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
