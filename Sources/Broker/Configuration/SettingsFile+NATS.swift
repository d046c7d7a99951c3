public import Storage

// The log that several brokers share, in a settings file and on the command line.
extension SettingsFile {
    mutating func readNATS(_ entry: SettingsObject.Entry) throws(SettingsError) -> NATSSettings {
        let object = try entry.object(
            [
                "servers", "name", "replicas", "partitions", "user", "password", "credentials_file", "ca_file",
                "cert", "key",
            ], lines: &lines)
        // The command line may name them.
        var nats = NATSSettings(servers: try object["servers"].map(SettingsFile.readServers) ?? [])
        if let entry = object["name"] {
            nats.name = try entry.text()
            guard NATSSettings.isName(nats.name) else {
                throw entry.error("is 1 to 32 letters, digits, - and _")
            }
        }
        if let entry = object["replicas"], !entry.isNull { nats.replicas = try entry.whole(in: 1...5) }
        if let entry = object["partitions"] { nats.partitions = try entry.whole(in: 1...64) }
        nats.user = try object.textIfAny("user")
        nats.password = try object.textIfAny("password")
        nats.credentials = try object.textIfAny("credentials_file")
        nats.authorities = try object.textIfAny("ca_file")
        nats.certificate = try object.textIfAny("cert")
        nats.key = try object.textIfAny("key")
        guard (nats.certificate == nil) == (nats.key == nil) else {
            throw entry.error("has \"cert\" and \"key\" together")
        }
        guard nats.password == nil || nats.user != nil else { throw entry.error("has a \"password\" and no \"user\"") }
        return nats
    }
}

extension SettingsFile {
    private static func readServers(_ entry: SettingsObject.Entry) throws(SettingsError) -> [String] {
        var servers: [String] = []
        for element in try entry.list() {
            let text = try element.text()
            guard NATSSettings.isServer(text) else { throw element.error(NATSSettings.serverHint) }
            servers.append(text)
        }
        guard (1...16).contains(servers.count) else { throw entry.error("names 1 to 16 servers") }
        guard NATSSettings.isOneScheme(servers) else { throw entry.error("has tls:// in all of its URLs, or in none") }
        return servers
    }
}

extension SettingsObject {
    fileprivate func textIfAny(_ name: String) throws(SettingsError) -> String? {
        guard let entry = self[name], !entry.isNull else { return nil }
        return try entry.text()
    }
}

extension NATSSettings {
    /// What a server's URL looks like.
    public static let serverHint = "is the URL of a NATS server, nats://HOST:PORT or tls://HOST:PORT"

    /// Whether a text is a server's URL: a place and who the broker is there, nothing behind it.
    public static func isServer(_ text: String) -> Bool {
        guard let scheme = ["nats://", "tls://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else { return false }
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        let end = place.lastIndex(of: "]") ?? place.startIndex
        guard let colon = place[end...].firstIndex(of: ":") else { return isHost(place) }
        guard let port = UInt16(place[place.index(after: colon)...]) else { return false }
        return port > 0 && isHost(place[..<colon])
    }

    /// A name or an IPv4 address, or an IPv6 address in brackets.
    private static func isHost(_ host: Substring) -> Bool {
        let isV6 = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isV6 ? host.dropFirst().dropLast() : host
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case UInt8(ascii: ":"), UInt8(ascii: "%"): isV6
                default: false
                }
            }
    }

    /// Whether all servers are reached by TLS, or none: one that is not would be told what is meant for the others.
    static func isOneScheme(_ servers: [String]) -> Bool {
        Set(servers.map { $0.hasPrefix("tls://") }).count <= 1
    }

    /// Whether streams and subjects may begin with a text.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// The settings of a command line's `URL[,URL]`; the rest is that of a file, where there is one.
    ///
    /// - Returns: `nil` where one of them is no URL, or only some begin with `tls://`.
    public static func reading(_ text: String, over file: NATSSettings?) -> NATSSettings? {
        let servers = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard (1...16).contains(servers.count), servers.allSatisfy(isServer), isOneScheme(servers) else {
            return nil
        }
        var settings = file ?? NATSSettings(servers: servers)
        settings.servers = servers
        return settings
    }
}
