import Foundation
import HTTP

/// What a hook's server answers: `{"allow": true}`, with `reason` and `cache_seconds` where it likes.
struct HookAnswer: Sendable, Equatable {
    var verdict: HookVerdict
    /// For how long the answer may be taken again, in milliseconds.
    var cacheMilliseconds: Int64

    private struct Body: Decodable {
        var allow: Bool
        var reason: String?
        var cache_seconds: Double?
    }

    /// What a person is told where the server gives no reason.
    static let usualReason = "this is not allowed here"
    /// The most characters of a reason that are passed on.
    private static let maxReason = 256

    /// Reads an answer; `nil` for anything but a 200 with such a body.
    init?(_ answer: ClientAnswer) {
        guard answer.status == 200, let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body)) else {
            return nil
        }
        let reason = body.reason.map { String($0.prefix(Self.maxReason)) } ?? Self.usualReason
        verdict = body.allow ? .allowed : .denied(reason)
        cacheMilliseconds = Self.milliseconds(body.cache_seconds ?? Self.maxAge(answer.headers) ?? 0)
    }

    /// A day is as good as any longer time: the settings bound it further.
    private static func milliseconds(_ seconds: Double) -> Int64 {
        seconds > 0 ? Int64(min(seconds, 86_400) * 1000) : 0
    }

    /// What `Cache-Control: max-age` says (RFC 9111 section 5.2.2.1), in seconds.
    private static func maxAge(_ headers: HTTPHeaders) -> Double? {
        let directives = headers.elements("cache-control").map { $0.lowercased() }
        guard !directives.contains("no-store"), !directives.contains("no-cache") else { return nil }
        let prefix = "max-age="
        return directives.first { $0.hasPrefix(prefix) }.flatMap { UInt32($0.dropFirst(prefix.count)) }.map(Double.init)
    }
}
