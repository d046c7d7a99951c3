/// What one end wants of permessage-deflate: a server when it judges offers, a client when it makes one (RFC 7692 section 7.1).
public struct DeflateSettings: Sendable, Equatable {
    /// Whether what this end sends may refer to what it sent before; it then compresses better and holds some 300 KB.
    public var keepsOwnContext: Bool
    /// Whether what the other end sends may; this end then holds up to 40 KB, and its window alone while it rests.
    public var keepsPeerContext: Bool
    /// The largest window of either end, as a power of two, 9–15; what is outside of that is brought to the nearer end.
    ///
    /// 8 is missing since zlib has no such compressor; a client's offer to use 8 itself is taken up all the same.
    public var windowBits: Int {
        didSet { windowBits = min(max(windowBits, 9), 15) }
    }
    /// The shortest message that is compressed, in bytes.
    public var minimumBytes: Int
    /// How many bytes a byte may become before a message that is past ``freeBytes`` is refused with 1009.
    ///
    /// No more than 1,032 is possible, so a number above that is no limit.
    public var maxRatio: Int

    /// The bytes that any message may become, whatever its ratio.
    public static let freeBytes = 16_384

    /// Makes settings.
    public init(
        keepsOwnContext: Bool = true, keepsPeerContext: Bool = true, windowBits: Int = 15, minimumBytes: Int = 0,
        maxRatio: Int = 100
    ) {
        self.keepsOwnContext = keepsOwnContext
        self.keepsPeerContext = keepsPeerContext
        self.windowBits = min(max(windowBits, 9), 15)
        self.minimumBytes = minimumBytes
        self.maxRatio = maxRatio
    }
}

/// What both ends have agreed on (RFC 7692 section 7.1), as the end that holds it sees it.
public struct DeflateParameters: Sendable, Equatable {
    /// Whether what this end sends may refer to what it sent before.
    public var keepsOwnContext: Bool
    /// Whether what the other end sends may.
    public var keepsPeerContext: Bool
    /// This end's window as a power of two, 8–15; with 8 it sends everything uncompressed, which it always may.
    public var ownWindowBits: Int
    /// The other end's window as a power of two, 8–15.
    public var peerWindowBits: Int
    /// The shortest message that this end compresses, in bytes.
    public var minimumBytes: Int
    /// How many bytes a byte of the other end may become; see ``DeflateSettings/maxRatio``.
    public var maxRatio: Int

    /// Makes parameters; the defaults are those of an offer without any that was accepted as it is.
    public init(
        keepsOwnContext: Bool = true, keepsPeerContext: Bool = true, ownWindowBits: Int = 15, peerWindowBits: Int = 15,
        minimumBytes: Int = 0, maxRatio: Int = 100
    ) {
        self.keepsOwnContext = keepsOwnContext
        self.keepsPeerContext = keepsPeerContext
        self.ownWindowBits = ownWindowBits
        self.peerWindowBits = peerWindowBits
        self.minimumBytes = minimumBytes
        self.maxRatio = maxRatio
    }
}
