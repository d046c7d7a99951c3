import FanfareClient
import Wire

/// What went wrong, and what to do about it, in one line.
func advice(for error: ClientError) -> String {
    let hint = error.refusal.map(hint(for:)) ?? hint(error.code)
    let again = error.retryAfter.map { "; try again in \(seconds($0))" } ?? ""
    return error.message + again + (hint.isEmpty ? "" : " — \(hint)")
}

private func hint(_ code: ClientError.Code) -> String {
    switch code {
    case .timedOut: "check --url (with --ca for a certificate of your own), and that fanfare serve runs there"
    case .unreachable: "check --url, and --ca for a certificate of your own"
    case .unavailable: "it is full, short of memory or about to end; try again later"
    case .unauthorized: "check --token or FANFARE_TOKEN; fanfare token makes one"
    default: ""
    }
}

private func hint(for code: ErrorCode) -> String {
    switch code {
    case .unauthorized: "say who you are with --token, or --user for a broker in development mode"
    case .forbidden: "check which channels and rights the token has, and the channel's spelling"
    case .badRequest: "the namespace's policy does not know this; see its settings"
    case .invalidReaction:
        "give exactly one emoji, or a name where the namespace takes names (reactions.kind named or any)"
    case .reactionNotAllowed: "use one of the namespace's reactions; fanfare watch --json shows them in \"allowed\""
    case .frozen: "a moderator froze the channel; try later"
    case .messageDeleted: "the message is gone; react to another"
    case .tooManyReactions: "remove one first, or join one that is there"
    case .rateLimited: "slow down"
    case .tooManySubscriptions: "follow fewer channels on one connection"
    default: ""
    }
}
