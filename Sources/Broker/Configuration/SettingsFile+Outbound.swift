import Foundation
import Transport

// Webhooks and hooks of a settings file.
extension SettingsFile {
    private static let endpointNames = ["url", "secret", "secret_file", "secret_env", "timeout_ms", "ca_file"]

    /// The members `webhook` and `hooks` of a namespace.
    mutating func readOutbound(_ namespace: SettingsObject) throws(SettingsError) -> OutboundSettings? {
        let webhook = try namespace["webhook"].flatMap { entry throws(SettingsError) in try readWebhook(entry) }
        let hooks = try namespace["hooks"].map { entry throws(SettingsError) in
            try readHooks(entry, ["subscribe", "react"])
        }
        return OutboundSettings(
            webhook: webhook, subscribeHook: hooks?["subscribe"], reactHook: hooks?["react"])
    }

    private mutating func readWebhook(_ entry: SettingsObject.Entry) throws(SettingsError) -> Webhook? {
        guard !entry.isNull else { return nil }
        let object = try entry.object(
            SettingsFile.endpointNames + ["batch", "interval_ms", "max_retry_ms", "max_pending"], lines: &lines)
        var webhook = Webhook(endpoint: try readEndpoint(object, timeout: 5_000))
        if let entry = object["batch"] { webhook.batch = try entry.whole(in: 1...1_000) }
        if let entry = object["interval_ms"] { webhook.intervalMilliseconds = try entry.whole(in: 0...3_600_000) }
        if let entry = object["max_retry_ms"] { webhook.maxRetryMilliseconds = try entry.whole(in: 500...3_600_000) }
        if let entry = object["max_pending"], !entry.isNull {
            webhook.maxPending = try entry.whole(in: 1...1_000_000_000)
        }
        return webhook
    }

    /// Hooks by their names.
    mutating func readHooks(_ entry: SettingsObject.Entry, _ names: [String]) throws(SettingsError) -> [String: Hook] {
        guard !entry.isNull else { return [:] }
        var hooks: [String: Hook] = [:]
        for (name, entry) in try entry.object(names, lines: &lines).entries where !entry.isNull {
            hooks[name] = try readHook(entry)
        }
        return hooks
    }

    /// What follows where a hook's server is down.
    private enum WhenDown: String, CaseIterable {
        case allow, deny
    }

    private mutating func readHook(_ entry: SettingsObject.Entry) throws(SettingsError) -> Hook {
        let object = try entry.object(SettingsFile.endpointNames + ["when_down", "cache_ms_max"], lines: &lines)
        return Hook(
            endpoint: try readEndpoint(object, timeout: 1_000),
            isAllowedWhenDown: try object["when_down"]?.choice(of: WhenDown.self) == .allow,
            maxCacheMilliseconds: try object["cache_ms_max"]?.whole(in: 0...86_400_000) ?? 60_000)
    }

    private mutating func readEndpoint(_ object: SettingsObject, timeout: Int) throws(SettingsError) -> Endpoint {
        let entry = try object.required("url")
        guard let url = OutboundURL(try entry.text()) else {
            throw entry.error(
                "is a URL such as https://example.org/fanfare, without a user, a password or a fragment")
        }
        return Endpoint(
            url: url, secret: try readSecret(object),
            timeoutMilliseconds: try object["timeout_ms"]?.whole(in: 10...300_000) ?? timeout,
            caFile: try readFileName(object))
    }

    private mutating func readSecret(_ object: SettingsObject) throws(SettingsError) -> SigningSecret {
        let (text, entry) = try findSecret(object)
        guard let secret = SigningSecret(text) else {
            throw SettingsError(
                line: entry.line,
                "the secret of \(object.path) is whsec_ and Base64, or any text that does not begin so")
        }
        return secret
    }

    /// One of three places.
    private mutating func findSecret(_ object: SettingsObject) throws(SettingsError) -> (String, SettingsObject.Entry) {
        let entries = ["secret", "secret_file", "secret_env"].compactMap { object[$0] }.filter { !$0.isNull }
        guard let entry = entries.first, entries.count == 1 else {
            throw SettingsError(
                line: entries.last?.line ?? object.line,
                "\(object.path) needs one of \"secret\", \"secret_file\" and \"secret_env\"")
        }
        let text = try entry.text()
        if entry.path.hasSuffix(".secret") { return (text, entry) }
        let isFile = entry.path.hasSuffix("_file")
        if !isFile { secretVariables.insert(text) }
        let found = isFile ? try readSecretFile(text, entry) : ProcessInfo.processInfo.environment[text] ?? ""
        let secret = found.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else {
            throw entry.error(
                isFile
                    ? "names the file '\(SettingsError.brief(text))', which is empty"
                    : "names the variable '\(SettingsError.brief(text))', which is not set or is empty")
        }
        return (secret, entry)
    }

    private func readSecretFile(_ path: String, _ entry: SettingsObject.Entry) throws(SettingsError) -> String {
        do throws(RegularFile.Failure) {
            return String(decoding: try RegularFile.bytes(at: path, atMost: 65_536), as: UTF8.self)
        } catch {
            throw entry.error("names the file '\(SettingsError.brief(path))', which cannot be read: \(error)")
        }
    }

    /// The certificates to trust; a file that is not there would make every request fail.
    private func readFileName(_ object: SettingsObject) throws(SettingsError) -> String? {
        guard let entry = object["ca_file"], !entry.isNull else { return nil }
        let file = try entry.text()
        // Else it would be read at the first request, by a loop, which has no time for that.
        do throws(TransportError) { try TLSClientSettings(caFile: file).readAuthorities() } catch {
            throw entry.error("cannot be used: \(error)")
        }
        return file
    }
}
