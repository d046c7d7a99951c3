import Reactions
import Storage

extension Channel {
    /// What the audit says of an operation; `nil` where it is no moderator's, or changed nothing.
    ///
    /// In an anonymous channel a user to whom a clear was narrowed is one who reacted, so the name stays out.
    func auditEntry(for operation: Operation, _ outcome: Outcome, at moment: Moment) -> AuditEntry? {
        guard !outcome.isDuplicate else { return nil }
        let answer = outcome.answer
        switch (operation.action, answer.result) {
        case (.clear(_, let user), .cleared):
            return AuditEntry(
                at: moment.unix, .cleared, by: operation.user, channel: name, message: operation.message,
                reaction: answer.reaction?.text, user: user.map { namespace.isAnonymous ? "" : $0 },
                removed: answer.removed, seq: answer.seq)
        case (.delete, .deleted):
            return AuditEntry(
                at: moment.unix, .deleted, by: operation.user, channel: name, message: operation.message,
                removed: answer.removed, seq: answer.seq)
        case (.freeze(let isFrozen), .changed):
            return AuditEntry(at: moment.unix, isFrozen ? .frozen : .unfrozen, by: operation.user, channel: name)
        default: return nil
        }
    }
}
