/// A step of a request's way to here, as a proxy on that way tells it.
///
/// Anyone can send these fields; only what was added by a proxy that one trusts is worth anything, so they are read from
/// the last hop to the first, and no further than to the first that is not trusted.
public struct ForwardedHop: Sendable, Equatable {
    /// Who sent the request to that proxy: an IP address without port and brackets; `nil` where it is not told, not known,
    /// hidden behind a name, or malformed.
    public var address: String?
    /// The port that goes with it.
    public var port: UInt16?
    /// The scheme by which that proxy was asked, in small letters; `nil` where it is not told.
    public var scheme: String?
    /// Whether it is about a sender at all, a hidden one too, rather than about the scheme alone.
    public var isAboutSender: Bool

    /// Makes a hop.
    public init(address: String?, port: UInt16? = nil, scheme: String? = nil, isAboutSender: Bool = true) {
        self.address = address
        self.isAboutSender = isAboutSender
        self.port = port
        self.scheme = scheme
    }

    /// Reads all `Forwarded` fields (RFC 7239 section 4), the hop that is farthest from here first.
    ///
    /// An element that is malformed is a hop of which nothing is known.
    public static func hops(ofForwarded headers: HTTPHeaders) -> [ForwardedHop] {
        headers.all("forwarded").flatMap { field in
            split(field[...], at: UInt8(ascii: ",")).map(hop)
        }
    }

    /// Reads all `X-Forwarded-For` fields, the hop that is farthest from here first, with the schemes of
    /// `X-Forwarded-Proto`: one for each hop where there are as many, else the last one for all.
    public static func hops(ofXForwarded headers: HTTPHeaders) -> [ForwardedHop] {
        var hops = headers.elements("x-forwarded-for").map(node)
        let schemes = headers.elements("x-forwarded-proto").map { $0.lowercased() }
        if hops.isEmpty, let last = schemes.last {
            hops = [ForwardedHop(address: nil, scheme: last, isAboutSender: false)]
        }
        for index in hops.indices { hops[index].scheme = schemes.count == hops.count ? schemes[index] : schemes.last }
        return hops
    }

    /// Whether a field says that a request was passed on, whoever has written it: `Forwarded`, `Via` (RFC 9110 section
    /// 7.6.3), `X-Real-IP` and whatever begins with `X-Forwarded-`.
    public static func isMentioned(in headers: HTTPHeaders) -> Bool {
        headers.hasName { name in
            switch name.count {
            case 3: HTTPHeaders.isSame(name, "via")
            case 9: HTTPHeaders.isSame(name, "forwarded") || HTTPHeaders.isSame(name, "x-real-ip")
            case 13...: HTTPHeaders.isSame(name.extracting(first: 12), "x-forwarded-")
            default: false
            }
        }
    }

    private static func hop(of element: Substring) -> ForwardedHop {
        var hop = ForwardedHop(address: nil, isAboutSender: false)
        var names: Set<String> = []
        for pair in split(element, at: UInt8(ascii: ";")) {
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return ForwardedHop(address: nil) }
            let name = pair[..<equals].lowercased()
            guard names.insert(name).inserted, let value = unquoted(pair[equals...].dropFirst()) else {
                return ForwardedHop(address: nil)
            }
            switch name {
            case "for":
                let node = node(value)
                (hop.address, hop.port, hop.isAboutSender) = (node.address, node.port, true)
            case "proto": hop.scheme = value.lowercased()
            default: break
            }
        }
        return hop
    }

    /// Reads `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80` or `2001:db8::1`; a name has no address.
    private static func node(_ text: String) -> ForwardedHop {
        let nothing = ForwardedHop(address: nil)
        var address = text[...]
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nothing }
            address = text[..<end].dropFirst()
            let rest = text[end...].dropFirst()
            guard rest.isEmpty || rest.hasPrefix(":") else { return nothing }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
            address = text[..<colon]
            port = text[colon...].dropFirst()
        }
        guard !address.isEmpty, address.utf8.allSatisfy(isAddressCharacter) else { return nothing }
        guard let port else { return ForwardedHop(address: String(address)) }
        guard !port.isEmpty, port.utf8.allSatisfy({ Byte.isDigit($0) }), let number = UInt16(port) else {
            // A port may be hidden as well, which says nothing against the address.
            return port.hasPrefix("_") ? ForwardedHop(address: String(address)) : nothing
        }
        return ForwardedHop(address: String(address), port: number)
    }

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        Byte.hexadecimal(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// Takes the quotes and backslashes off a value (RFC 9110 section 5.6.4); `nil` where they do not fit.
    private static func unquoted(_ value: Substring) -> String? {
        guard value.hasPrefix("\"") else { return value.contains("\"") ? nil : String(value) }
        var text: [UInt8] = []
        var rest = value.utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return rest.isEmpty ? String(validating: text, as: UTF8.self) : nil }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    /// Splits a list where its separator stands outside of quotes; blanks around the parts and empty parts are left out.
    private static func split(_ text: Substring, at separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
        }
        parts.append(text[start...])
        return parts.map { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while let last = part.last, last == " " || last == "\t" { part.removeLast() }
            return part
        }.filter { !$0.isEmpty }
    }
}
