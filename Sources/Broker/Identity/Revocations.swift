public import Storage
import Transport

/// Who was revoked, as all loops see it.
public final class Revocations: Sendable {
    private let moments: Locked<[String: Int64]>

    /// Begins with what the store has.
    public init(_ known: [Revocation] = []) {
        moments = Locked([:])
        for revocation in known { add(revocation) }
    }

    /// Notes one; of several of a user the latest counts.
    func add(_ revocation: Revocation) {
        moments.withLock { moments in
            moments[revocation.user] = max(revocation.at, moments[revocation.user] ?? .min)
        }
    }

    /// Whether what was issued to a user then, in Unix milliseconds, is worth nothing any more.
    func cover(_ user: String, issued: Int64) -> Bool {
        moments.withLock { moments in moments[user].map { issued <= $0 } ?? false }
    }
}
