import Broker
import CommandOptions
import Foundation
import Reactions
import Server
import Transport

// What an operator should know of the settings, although it is no error.
extension ServeSettings {
    /// One line each.
    var warnings: [String] {
        var warnings = secretWarnings
        for remark in tokenKeys?.set.remarks ?? [] {
            warnings.append("\(tokenKeys?.path ?? ""):\(remark.line): \(remark.words)")
        }
        return warnings + accessWarnings + namespaceWarnings + sharedLogWarnings
    }

    /// Variables of this process that do nothing.
    var variableWarnings: [String] {
        VariableWarnings.lines(
            for: ProcessInfo.processInfo.environment.keys, secrets: file?.settings.secretVariables ?? [])
    }

    private var secretWarnings: [String] {
        var warnings: [String] = []
        if let tokenSecret, tokenSecret.utf8.count < TokenVerifier.safeSecretBytes {
            warnings.append(
                "the token secret has fewer than \(TokenVerifier.safeSecretBytes) bytes: whoever guesses it makes tokens; take the output of 'openssl rand -hex 32'"
            )
        }
        let shortest = server.broker.authenticator.serverKeys.map(\.utf8.count).min()
        if let shortest, shortest < Authenticator.safeServerKeyBytes {
            warnings.append(
                "a server key has fewer than \(Authenticator.safeServerKeyBytes) bytes: whoever guesses it may do everything; take the output of 'openssl rand -hex 32'"
            )
        }
        return warnings
    }

    /// Doors that are open to all, or to nobody.
    private var accessWarnings: [String] {
        var warnings: [String] = []
        for (index, text) in trustedProxies.enumerated() where AddressSet.isWide(text) {
            let filed = "\(place(of: "trusted_proxies"))trusted_proxies[\(index)]"
            warnings.append(
                "\(words.source(of: "trusted-proxy") ?? filed) is \(text), which is more than any private network: whoever comes from there may say who they are, and is taken at their word in logs and limits; name the proxies alone"
            )
        }
        if server.metricsAccess == .serverKey, server.broker.authenticator.serverKeys.isEmpty {
            warnings.append(
                "\(place(of: "metrics"))metrics is server_key, and there are no server_keys: nobody can read /metrics")
        }
        return warnings
    }

    /// Namespaces in which nothing can be done.
    private var namespaceWarnings: [String] {
        guard let namespaces = file?.settings.namespaces else { return [] }
        if namespaces.isEmpty, !isDevelopment {
            return [
                "\(place(of: "namespaces"))namespaces is empty: every channel is forbidden; name some, or leave it out to allow every channel"
            ]
        }
        return namespaces.filter { $0.value.rules.allowed?.isEmpty == true }.keys.sorted().map { name in
            let setting = "namespaces.\(name).reactions.allowed"
            return
                "\(place(of: setting))\(setting) is empty: nobody can react there; null allows every reaction of the kind"
        }
    }

    /// Settings of one broker's store, which do nothing where several share a log.
    private var sharedLogWarnings: [String] {
        guard server.nats != nil, let namespaces = file?.settings.namespaces?.keys.sorted() else { return [] }
        return namespaces.flatMap { name in
            ["durability", "expire_days"].compactMap { setting in
                let setting = "namespaces.\(name).\(setting)"
                guard file?.place(of: setting) != nil else { return nil }
                return
                    "\(place(of: setting))\(setting) does nothing with NATS, which keeps all that a majority of its replicas has"
            }
        }
    }

    /// Where a setting stands in the file, ready to be put before a sentence; nothing where it does not.
    private func place(of setting: String) -> String {
        file?.place(of: setting).map { $0 + ": " } ?? ""
    }
}
