#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a broker says with an HTTP status that is an error (PROTOCOL.md section 10).
struct BrokerError: Decodable {
    /// Words for a person.
    let message: String

    /// Reads an answer's body; `nil` where it is none of a broker's.
    init?(_ body: String) {
        guard let error = try? JSONDecoder().decode(Self.self, from: Data(body.utf8)) else { return nil }
        self = error
    }
}
