/// The names of all fields of the contract, so that a name in a text becomes a small number at once.
enum Field: Int, CaseIterable {
    // Requests, and what is common.
    case type, id, channel, message, reaction, key, data, count, user, reactions
    case token, mode, messages, since, occupancy, epoch, seq, frozen, limit, after
    // What a broker says.
    case connection, time, heartbeatMilliseconds, limits, maxMessageBytes, maxSubscriptions
    case result, previous, previousCount, previousUsers, own, ownCounts, removed, duplicate, expires
    case policy, intervalMilliseconds, allowed, kinds, perUser, recovered, more, reason
    case users, total, at, byCount, by, groups, first, last, latest, deleted
    case connections, windowMilliseconds, from, to, reactors, code, retryAfterMilliseconds

    /// The name as it stands in a message.
    var name: String {
        switch self {
        case .heartbeatMilliseconds: "heartbeat_ms"
        case .maxMessageBytes: "max_message_bytes"
        case .maxSubscriptions: "max_subscriptions"
        case .previousCount: "previous_count"
        case .previousUsers: "previous_users"
        case .ownCounts: "own_counts"
        case .intervalMilliseconds: "interval_ms"
        case .perUser: "per_user"
        case .byCount: "by_count"
        case .windowMilliseconds: "window_ms"
        case .retryAfterMilliseconds: "retry_after_ms"
        default: "\(self)"
        }
    }
}

/// The bytes of a name in three words, gathered while the name is read, so that it is compared at once.
///
/// Two names of the same length, at most 24 bytes, are equal exactly when these are.
struct PackedName: Equatable, BitwiseCopyable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var top: UInt64 = 0

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        top = top << 8 | high >> 56
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(byte)
    }

    /// A number below 128, well spread.
    var hash: Int {
        Int(truncatingIfNeeded: ((low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93) >> 57)
    }
}

extension Field {
    /// The field of a name; `nil`: no field has that name.
    init?(_ packed: PackedName, length: Int) {
        guard let field = FieldTable.shared.field(packed, length: length) else { return nil }
        self = field
    }
}

/// From names to fields: a small hash table with open addressing, never full.
private struct FieldTable {
    private struct Entry {
        var packed = PackedName()
        var length = 0
        var field: Field?
    }

    static let shared = FieldTable()

    private var entries: InlineArray<128, Entry> = .init(repeating: Entry())

    private init() {
        for field in Field.allCases {
            var entry = Entry(length: field.name.utf8.count, field: field)
            for byte in field.name.utf8 { entry.packed.append(byte) }
            var slot = entry.packed.hash
            while entries[slot].field != nil { slot = (slot &+ 1) & 127 }
            entries[slot] = entry
        }
    }

    @inline(__always)
    func field(_ packed: PackedName, length: Int) -> Field? {
        var slot = packed.hash & 127
        while let field = entries[slot].field {
            if entries[slot].packed == packed, entries[slot].length == length { return field }
            slot = (slot &+ 1) & 127
        }
        return nil
    }
}
