internal import COpenSSL
internal import Glibc

// @safe: the memory belongs to the object alone, and is read only once it is filled.
// @unchecked: nothing changes after `init`.
/// One key that session tickets are sealed with (RFC 5077 section 4): its name, a cipher key and an authentication key.
@safe
final class TicketKey: @unchecked Sendable {
    static let nameLength = 16
    static let partLength = 32

    /// When it was made.
    let made: MonotonicTime
    private let bytes: UnsafeMutablePointer<UInt8>

    /// A key by chance; nil where the system has none.
    init?(at now: MonotonicTime) {
        made = now
        let count = Self.nameLength + 2 * Self.partLength
        unsafe bytes = .allocate(capacity: count)
        unsafe bytes.initialize(repeating: 0, count: count)
        guard unsafe RAND_bytes(bytes, CInt(count)) == 1 else { return nil }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, Self.nameLength + 2 * Self.partLength)
        unsafe bytes.deallocate()
    }

    /// What a ticket says about the key that it was sealed with.
    var name: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: bytes, count: Self.nameLength) }
    var cipherKey: UnsafeMutablePointer<UInt8> { unsafe bytes + Self.nameLength }
    var authenticationKey: UnsafeMutablePointer<UInt8> { unsafe bytes + Self.nameLength + Self.partLength }
}

/// The keys of session tickets: one that seals, and the one before it, which still opens.
///
/// Whoever has a key can read what it sealed; so no key is kept for long, and none is ever written down.
struct TicketKeys: Sendable {
    /// How long a key seals, and how long a ticket is said to be good.
    static let period = Duration.seconds(3600)

    private var current: TicketKey?
    private var previous: TicketKey?

    /// Forgets what is too old at this moment: a key opens tickets for two periods.
    private mutating func rotate(at now: MonotonicTime) {
        if let key = current, now - key.made >= Self.period {
            previous = key
            current = nil
        }
        if let key = previous, now - key.made >= Self.period + Self.period { previous = nil }
    }

    /// The key to seal with; nil where the system has no chance to give.
    mutating func sealingKey(at now: MonotonicTime) -> TicketKey? {
        rotate(at: now)
        if current == nil { current = TicketKey(at: now) }
        return current
    }

    /// The key of a ticket, and whether the ticket should be replaced; nil where no such key is known any more.
    mutating func openingKey(
        named name: UnsafeBufferPointer<UInt8>, at now: MonotonicTime
    ) -> (key: TicketKey, isOld: Bool)? {
        rotate(at: now)
        // A name is no secret: it is sent in the clear.
        if let key = current, unsafe key.name.elementsEqual(name) { return (key, false) }
        if let key = previous, unsafe key.name.elementsEqual(name) { return (key, true) }
        return nil
    }
}

/// The ticket keys of a server, shared by its loops.
final class TicketKeyring: Sendable {
    private let keys = Locked(TicketKeys())

    /// The key to seal with now; nil where the system has no chance to give.
    func sealingKey() -> TicketKey? {
        keys.withLock { $0.sealingKey(at: .now) }
    }

    /// The key of a ticket that comes now, and whether the ticket should be replaced.
    func openingKey(named name: UnsafeBufferPointer<UInt8>) -> (key: TicketKey, isOld: Bool)? {
        keys.withLock { unsafe $0.openingKey(named: name, at: .now) }
    }
}
