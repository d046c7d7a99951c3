/// Who the broker is to NATS: a name and a password, or a token alone.
struct NATSIdentity: Hashable {
    /// The name; the token where there is no password.
    var user: String
    /// The password; `nil`: there is none.
    var password: String?

    /// What the library is handed of a text: it puts that between quotation marks into JSON, as it is.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                escaped.unicodeScalars.append("\\")
                escaped.unicodeScalars.append(scalar)
            case "\0"..<" ":
                escaped += scalar.value < 16 ? "\\u000" : "\\u00"
                escaped += String(scalar.value, radix: 16)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A server's URL, taken apart.
struct NATSServer: Equatable {
    /// `nats://` or `tls://`.
    var scheme: String
    /// Who the broker is there; `nil`: the URL does not say.
    var identity: NATSIdentity?
    /// The host, and the port where one is named.
    var place: String

    /// Reads a URL; a name and a password stand in it as they are, or percent-encoded (RFC 3986, section 2.1): a `%` that no
    /// two hexadecimal digits follow is itself.
    init(_ url: String) {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        scheme = String(url[..<start])
        let rest = url[start...]
        guard let at = rest.lastIndex(of: "@") else {
            (identity, place) = (nil, String(rest))
            return
        }
        place = String(rest[rest.index(after: at)...])
        let words = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        identity = NATSIdentity(
            user: NATSServer.decoded(words.first ?? ""), password: words.dropFirst().first.map(NATSServer.decoded))
    }

    /// The URL as the library takes it apart again; `nil`: it would find something else in it.
    var urlForLibrary: String? {
        guard let identity else { return scheme + place }
        guard !identity.user.isEmpty, !identity.user.contains(":") else { return nil }
        let password = identity.password.map { ":" + NATSIdentity.escaped($0) } ?? ""
        return scheme + NATSIdentity.escaped(identity.user) + password + "@" + place
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
