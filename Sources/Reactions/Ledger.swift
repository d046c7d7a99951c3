/// One channel's reactions: a pure value, with every rule about them.
///
/// No clock, no I/O, no randomness: the same operations in the same order give the same ledger anywhere.
public struct Ledger: Sendable {
    /// The channel's counter: 0 when fresh, one more with each change.
    public private(set) var seq: UInt64 = 0
    /// Whether the channel is frozen.
    public private(set) var isFrozen = false

    /// Makes a ledger from what a store kept; a fresh image makes an empty one.
    public init(_ image: ChannelImage = ChannelImage()) {
        seq = image.seq
    }
}
