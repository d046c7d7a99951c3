import Transport

/// A flag that several threads share; it can only be set.
final class Flag: Sendable {
    private let value = Locked(false)

    /// Whether it was set.
    var isSet: Bool { value.withLock { $0 } }

    /// Sets it.
    func set() {
        value.withLock { $0 = true }
    }
}
