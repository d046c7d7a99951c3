import HTTP
import Transport

// What stands where in a settings file, apart from namespaces.
extension SettingsFile {
    mutating func read(_ top: SettingsObject, defaults: Namespace) throws(SettingsError) {
        if let entry = top["listen"] { listen = try readListen(entry) }
        data = try top["data"]?.text()
        if let entry = top["store"] {
            let store = try entry.object(["kind"], lines: &lines)
            let kind = try store.required("kind")
            if case .string("nats") = kind.value.kind {
                throw kind.error("is of what one broker keeps; for several, set \"nats\": {\"servers\": […]} beside it")
            }
            self.store = try kind.choice(of: Store.self)
        }
        if let entry = top["nats"], !entry.isNull { nats = try readNATS(entry) }
        if let entry = top["tokens"], !entry.isNull { try readTokens(entry) }
        if let entry = top["server_keys"] { serverKeys = try readKeys(entry) }
        if let entry = top["origins"] { origins = try readOrigins(entry) }
        if let entry = top["trusted_proxies"] { trustedProxies = try readProxies(entry) }
        if let entry = top["metrics"] { metrics = try entry.choice(of: MetricsAccess.self) }
        if let entry = top["limits"] { try readLimits(entry) }
        if let entry = top["drain"] { drain = try DrainSettings(entry, lines: &lines) }
        if let entry = top["hooks"] { connectHook = try readHooks(entry, ["connect"])["connect"] }
        if let entry = top["namespaces"] { namespaces = try readNamespaces(entry, defaults: defaults) }
    }

    private mutating func readListen(_ entry: SettingsObject.Entry) throws(SettingsError) -> [Listen] {
        var listen: [Listen] = []
        for element in try entry.list() {
            let object = try element.object(["address", "tls", "proxy_protocol", "compression"], lines: &lines)
            let address = try object.required("address")
            let text = try address.text()
            do throws(TransportError) {
                listen.append(Listen(address: try SocketAddress.parse(text), tls: nil))
            } catch {
                throw address.error("is wrong: \(error)")
            }
            if let entry = object["compression"], !entry.isNull {
                listen[listen.count - 1].compression = try CompressionSettings(entry, lines: &lines)
            }
            if let entry = object["proxy_protocol"] { listen[listen.count - 1].takesProxyProtocol = try entry.flag() }
            guard let tls = object["tls"] else { continue }
            guard !tls.isNull else { throw tls.error("is null; leave it out where the listener has no TLS") }
            listen[listen.count - 1].tls = try readTLS(tls)
        }
        guard !listen.isEmpty else { throw entry.error("is empty; leave it out for the default address") }
        return listen
    }

    private mutating func readTokens(_ entry: SettingsObject.Entry) throws(SettingsError) {
        let tokens = try entry.object(["hs256_secret", "jwks_file", "issuer", "audience", "leeway_s"], lines: &lines)
        if let file = tokens["jwks_file"], !file.isNull { keyFile = try file.text() }
        if let secret = tokens["hs256_secret"], !secret.isNull { tokenSecret = try secret.text() }
        if let issuer = tokens["issuer"], !issuer.isNull { self.issuer = try issuer.text() }
        if let audience = tokens["audience"], !audience.isNull { self.audience = try audience.text() }
        if let leeway = tokens["leeway_s"] { leewaySeconds = try leeway.whole(in: 0...300) }
    }

    private func readKeys(_ entry: SettingsObject.Entry) throws(SettingsError) -> [String] {
        var keys: [String] = []
        for element in try entry.list() {
            let key = try element.text()
            // It comes in a header's field, behind "Bearer ".
            guard key.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw element.error("is a key without spaces and control characters")
            }
            keys.append(key)
        }
        return keys
    }

    /// Schemes of addresses at which no page is; those of applications, such as `capacitor`, are not known here.
    private static let schemesWithoutPages = ["ws", "wss", "ftp", "ftps", "file", "mailto", "data", "tcp", "unix"]

    private func readOrigins(_ entry: SettingsObject.Entry) throws(SettingsError) -> [String] {
        var origins: [String] = []
        for element in try entry.list() {
            let origin = try element.text().lowercased()
            guard origin == "*" || WebOrigin(origin) != nil else {
                throw element.error(Self.complaint(ofOrigin: origin))
            }
            guard origin == "*" || !origin.contains("*") else {
                throw element.error("is compared whole: name each origin, or let any page connect by \"*\" alone")
            }
            if let scheme = SettingsFile.schemesWithoutPages.first(where: { origin.hasPrefix($0 + "://") }) {
                throw element.error("is where a page comes from, such as https://example.org; none comes by \(scheme)")
            }
            origins.append(origin)
        }
        return origins
    }

    /// What is wrong with a text that is no origin; most often something stands behind one.
    private static func complaint(ofOrigin text: String) -> String {
        let words = "is an origin such as https://example.org or http://127.0.0.1:3000, or * for any"
        var rest = ""
        if let scheme = text.firstRange(of: "://"),
            let end = text[scheme.upperBound...].firstIndex(where: { "/?#".contains($0) }),
            WebOrigin(String(text[..<end])) != nil
        {
            rest = text[end] == "/" ? ", without the slash or path behind it" : ", without what stands behind it"
        }
        return "\(words)\(rest), not \"\(SettingsError.brief(text))\""
    }

    private func readProxies(_ entry: SettingsObject.Entry) throws(SettingsError) -> [String] {
        var proxies: [String] = []
        for element in try entry.list() {
            let text = try element.text()
            do throws(AddressSet.Malformed) { _ = try AddressSet([text]) } catch {
                throw element.error("\(error.reason), not \"\(SettingsError.brief(text))\"")
            }
            proxies.append(text)
        }
        return proxies
    }

    private mutating func readLimits(_ entry: SettingsObject.Entry) throws(SettingsError) {
        let object = try entry.object(LimitName.allCases.map(\.rawValue), lines: &lines)
        for name in LimitName.allCases {
            guard let entry = object[name.rawValue] else { continue }
            if name.mayBeNone, entry.isNull {
                limits[name] = .max
            } else {
                limits[name] = try entry.whole(in: name.range)
            }
        }
    }
}
