public import WebSocket

/// Whether a listener's connections may have their messages compressed (`compression`).
public struct CompressionSettings: Sendable, Equatable {
    /// Which messages are compressed.
    public enum Mode: String, Sendable, CaseIterable {
        /// None; every offer is declined.
        case off
        /// Each that becomes smaller by it.
        case on
        /// Those of more than ``CompressionSettings/aboveBytes`` that become smaller by it.
        case above
    }

    /// Which messages are compressed (`mode`).
    public var mode: Mode
    /// What a message must exceed in mode `above`, in bytes, 0–16,777,216 (`above_bytes`).
    public var aboveBytes: Int
    /// Whether a client's messages may refer to its earlier ones (`context_takeover`); the broker's never do.
    public var contextTakeover: Bool
    /// The largest window of either end, as a power of two, 9–15 (`window_bits`).
    public var windowBits: Int

    /// Makes settings.
    public init(
        mode: Mode = .off, aboveBytes: Int = 1024, contextTakeover: Bool = false, windowBits: Int = 15
    ) {
        self.mode = mode
        self.aboveBytes = aboveBytes
        self.contextTakeover = contextTakeover
        self.windowBits = windowBits
    }

    /// What the opening handshake goes by; `nil`: nothing is compressed.
    public var deflate: DeflateSettings? {
        guard mode != .off else { return nil }
        return DeflateSettings(
            keepsOwnContext: false, keepsPeerContext: contextTakeover, windowBits: windowBits,
            minimumBytes: mode == .above ? aboveBytes + 1 : 1)
    }

    /// How it is typed: `off`, `on`, `above` with the default number or `above:BYTES`; `nil` where the text is none of these.
    public init?(_ text: String) {
        self.init()
        if let mode = Mode(rawValue: text) {
            self.mode = mode
        } else if text.hasPrefix("above:"), let bytes = Int(text.dropFirst(6)),
            CompressionSettings.aboveRange.contains(bytes)
        {
            mode = .above
            aboveBytes = bytes
        } else {
            return nil
        }
    }

    /// What `aboveBytes` may be.
    public static let aboveRange = 0...16_777_216
    static let windowRange = 9...15
}

extension CompressionSettings {
    /// Reads the object of a listener.
    init(_ entry: SettingsObject.Entry, lines: inout [String: Int]) throws(SettingsError) {
        self.init()
        let object = try entry.object(["mode", "above_bytes", "context_takeover", "window_bits"], lines: &lines)
        mode = try object.required("mode").choice(of: Mode.self)
        if let entry = object["above_bytes"] { aboveBytes = try entry.whole(in: Self.aboveRange) }
        if let entry = object["context_takeover"] { contextTakeover = try entry.flag() }
        if let entry = object["window_bits"] { windowBits = try entry.whole(in: Self.windowRange) }
    }
}
