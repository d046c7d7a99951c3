import Reactions
import Wire

/// What a person did and the broker has not answered yet, to be kept while an app is away.
///
/// Encode it where the app keeps its state, and give it to ``ChannelReactions/restore(_:)`` at the next start. Changes carry their
/// keys with them, which a broker knows for ten minutes: within them, nothing counts twice.
public struct UnsentChanges: Sendable, Hashable, Codable {
    /// A change as it is kept.
    private struct Kept: Sendable, Hashable, Codable {
        var key: String
        var message: String
        var action: PendingChange.Action
        var reactions: [String]
        var count: Int?
        var data: String?
        var at: Int64
        var isTried: Bool
        var refusal: String?
        var reason: String?
    }

    private let changes: [Kept]

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { changes.isEmpty }

    /// Keeps changes, the failed ones with the broker's reason.
    init(_ pending: [PendingChange]) {
        changes = pending.map { change in
            Kept(
                key: change.key, message: change.message, action: change.action,
                reactions: change.reactions.map(\.text), count: change.count, data: change.data?.text, at: change.at,
                isTried: change.isTried, refusal: change.failure?.refusal?.rawValue, reason: change.failure?.message)
        }
    }

    /// The changes to go on with; what failed only because the client had ended is tried again.
    var pending: [PendingChange] {
        changes.map { kept in
            var change = PendingChange(
                kept.action, kept.reactions.map(Reactions.Reaction.init(canonical:)), on: kept.message, key: kept.key,
                count: kept.count, data: kept.data.flatMap { try? ReactionData(json: $0) }, at: kept.at)
            change.isTried = kept.isTried
            if let refusal = kept.refusal.flatMap(ErrorCode.init(rawValue:)) {
                change.failure = ClientError(.refused, kept.reason ?? refusal.rawValue, refusal: refusal)
            }
            return change
        }
    }
}

extension ReactionData {
    /// Reads the JSON object that is to go with a reaction.
    ///
    /// - Parameter json: The object, at most 1,024 bytes.
    /// - Throws: ``ClientError`` with the code `invalidData`, where it is none or is too long.
    public init(json: String) throws(ClientError) {
        do throws(BadRequest) {
            self = try ReactionData.decode(Array(json.utf8).span)
        } catch {
            throw ClientError(.invalidData, "no data for a reaction: \(error.reason)")
        }
    }
}
