import HTTP

/// How long to wait before something is posted again: exponential with jitter, or as long as the server says.
struct RetryDelay: Sendable, Equatable {
    /// The longest first wait, in milliseconds.
    static let first = 500
    /// The longest wait that a server may ask for, in milliseconds.
    static let longestAsked: Int64 = 3_600_000

    /// How many attempts have failed in a row.
    private(set) var failures = 0

    /// Counts a failure.
    ///
    /// - Parameters:
    ///   - most: What the wait does not grow past, unless the server asks for more.
    ///   - asked: What the server asked for (`Retry-After`), in milliseconds.
    ///   - chance: 0..<1, by chance; the wait lies between half of its longest and all of it.
    /// - Returns: How long to wait, in milliseconds.
    mutating func next(most: Int, asked: Int64?, chance: Double) -> Int64 {
        let ceiling = min(most, failures < 20 ? Self.first << failures : most)
        failures += 1
        let wait = Int64(Double(ceiling) * (0.5 + chance / 2))
        return max(wait, min(asked ?? 0, Self.longestAsked))
    }

    /// Begins anew, after a success.
    mutating func reset() {
        failures = 0
    }
}

extension HTTPHeaders {
    /// What `Retry-After` says (RFC 9110 section 10.2.3), in milliseconds from `now` (Unix milliseconds), at least 0;
    /// `nil`: nothing that can be understood.
    func retryAfterMilliseconds(now: Int64) -> Int64? {
        guard let text = self["retry-after"] else { return nil }
        if let seconds = UInt64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let (milliseconds, overflow) = Int64(clamping: seconds).multipliedReportingOverflow(by: 1000)
            return overflow ? .max : milliseconds
        }
        return HTTPDate.unixSeconds(text).map { max(0, $0 * 1000 - now) }
    }
}
