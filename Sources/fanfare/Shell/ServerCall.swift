import CommandOptions
import FanfareClient
import Foundation

/// What commands share that ask a broker's HTTP API in the name of a server.
enum ServerCall {
    /// Where the broker is, and the key.
    static let options: [CommandSyntax.Option] = [
        .value("key", "KEY", "one of the broker's server_keys (or FANFARE_SERVER_KEY)"),
        .value("url", "URL", "the broker", default: "ws://127.0.0.1:8080/v1/ws", environment: true),
        .value("ca", "FILE", "trust these certificates (PEM) instead of the system's"),
    ]

    /// One request; the words say whom to trust.
    static func make(
        _ method: String, _ target: String, at url: BrokerURL, key: String?, _ words: CommandWords
    ) -> HTTPCall {
        HTTPCall(
            method: method, url: url, target: target, headers: key.map { [("Authorization", "Bearer \($0)")] } ?? [],
            trustedCertificates: words.textIfAny("ca"))
    }

    /// The path before that of the WebSocket, without a slash at its end.
    static func base(of url: BrokerURL) -> String {
        let suffix = BrokerURL.defaultPath
        let prefix = url.path.hasSuffix(suffix) ? String(url.path.dropLast(suffix.utf8.count)) : url.path
        return prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    }

    /// The broker's URL, given by the option or operand of that name.
    static func url(_ words: CommandWords, _ name: String = "url") throws(UsageError) -> BrokerURL {
        let text = try words.text(name)
        do throws(ClientError) { return try BrokerURL(text) } catch {
            throw UsageError("\(words.label(of: name)): \(error.message)")
        }
    }

    /// The key, which is never repeated, for it is secret; `nil` where none is given.
    static func key(_ words: CommandWords) throws(UsageError) -> String? {
        let key = words.textIfAny("key") ?? environment(["FANFARE_SERVER_KEY"])["FANFARE_SERVER_KEY", default: ""]
        guard !key.isEmpty else { return nil }
        guard key.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw UsageError("--key: a server key has no spaces and no control characters")
        }
        return key
    }

    /// What a refusal says, and what to do about it, in one line.
    static func advice(on answer: HTTPCall.Answer) -> String {
        struct Refusal: Decodable {
            var code: String
            var message: String
        }
        let again = answer.retryAfter.map { "; try again in \($0) s" } ?? ""
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(answer.body)) else {
            return [502, 503, 504].contains(answer.status)
                ? "the broker, or a proxy before it, cannot answer now (HTTP status \(answer.status))\(again)"
                : "the broker answered with HTTP status \(answer.status)\(again); check --url"
        }
        let hint = answer.status == 401 || answer.status == 403 ? " — check --key and server_keys" : ""
        return "\(refusal.message) (\(refusal.code))\(again)\(hint)"
    }
}
