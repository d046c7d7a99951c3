import Reactions
import Wire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page of who reacted, newest first.
public struct ReactorPage: Sendable, Equatable {
    /// Who reacted, with what and when.
    public var reactions: [Reaction]
    /// How many there are on all pages.
    public var total: Int
    /// Where the next page starts; `nil` at the end.
    public var next: String?
}

extension ReactionClient {
    /// Asks who reacted to a message, newest first.
    ///
    /// Paging neither skips nor repeats anyone who reacted before the first page was asked for.
    ///
    /// - Parameters:
    ///   - message: The message; `""` for the channel itself.
    ///   - channel: The channel.
    ///   - type: Only those with this reaction; `nil`: all.
    ///   - limit: How many a page, 1–100.
    ///   - cursor: The last page's ``ReactorPage/next``; `nil`: the first page.
    /// - Returns: The page.
    /// - Throws: ``ClientError``: refused by the broker (in anonymous namespaces always), no answer in time, or the client is
    ///   closed.
    public func reactors(
        of message: String, in channel: String, with type: ReactionType? = nil, limit: Int = 50,
        after cursor: String? = nil
    ) async throws(ClientError) -> ReactorPage {
        let reply = try await request(
            .reactors(channel: channel, message: message, reaction: type?.text, limit: limit, after: cursor))
        guard case .reactors(_, channel, message, let total, let reactors, let next) = reply else { throw Self.misread }
        return ReactorPage(
            reactions: reactors.map { Reaction($0, on: message) }, total: Int(clamping: total), next: next)
    }
}

extension Reaction {
    /// Takes over what a broker says of someone who reacted.
    init(_ reactor: Reactor, on message: String) {
        self.init(
            message: message, user: reactor.user, createdAt: Date(milliseconds: reactor.at),
            type: ReactionType(reactor.reaction), count: Int(clamping: reactor.count))
    }
}

extension Date {
    /// A moment of the contract, in Unix milliseconds.
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The moment in Unix milliseconds; 0 for one that no calendar has.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }
}
