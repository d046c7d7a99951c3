/// A bound that the settings may set, by its name there; and, as an error, the bound that was hit.
public enum LimitName: String, Error, Sendable, CaseIterable {
    /// The most connections of the process: WebSockets and event streams.
    case connections
    /// The most connections from one address.
    case connectionsPerAddress = "connections_per_address"
    /// The most connections that are neither, or not yet: plain HTTP, and handshakes.
    case httpConnections = "http_connections"
    /// Above which part of the memory that may be used nobody else comes in, in percent.
    case memoryPercent = "memory_percent"
    /// How much memory may be used, in bytes.
    case memoryBytes = "memory_bytes"
    /// The most channels in memory.
    case channels
    /// The largest head of a request, in bytes.
    case headerBytes = "header_bytes"
    /// The largest message of a client and its largest frame, and the largest body of a request, in bytes.
    case messageBytes = "message_bytes"
    /// The most frames that a message may be split into.
    case fragments = "fragments_per_message"
    /// The most pings and pongs of a connection in a second, and over TLS the most records that carry no data.
    case controlFrames = "control_frames_per_second"
    /// How often a connection may send what is not JSON within a minute before it is closed.
    case malformedMessages = "malformed_messages"
    /// The most subscriptions of a connection.
    case subscriptions
    /// The most requests of a connection that are not answered yet.
    case unansweredRequests = "unanswered_requests"
    /// The most requests that wait in a channel for the store.
    case waitingRequests = "waiting_requests"
    /// The most bytes of requests that wait in a channel for a log that several brokers share.
    case waitingBytes = "waiting_bytes"
    /// The most bytes that wait for a connection.
    case outboundBytes = "outbound_bytes"
    /// How long a connection may take to its first request's head, in milliseconds.
    case handshake = "handshake_ms"
    /// How long a connection may rest between two requests, in milliseconds.
    case idle = "idle_ms"
    /// How long a connection may go without saying who it is, in milliseconds.
    case identify = "identify_ms"
    /// The least milliseconds between two pings.
    case heartbeat = "heartbeat_ms"
    /// How long a peer may stay silent beyond `heartbeat_ms`, in milliseconds.
    case silence = "silence_ms"
    /// How long a reader may take nothing, in milliseconds.
    case stall = "stall_ms"
    /// How long it may take nothing of the last bytes, in milliseconds.
    case drain = "drain_ms"
    /// How long its end is awaited when all is written, in milliseconds.
    case close = "close_ms"

    /// Where the broker keeps it.
    public var keyPath: WritableKeyPath<BrokerSettings.Limits, Int> {
        switch self {
        case .connections: \.connections
        case .connectionsPerAddress: \.connectionsPerAddress
        case .httpConnections: \.httpConnections
        case .memoryPercent: \.memoryPercent
        case .memoryBytes: \.memoryBytes
        case .channels: \.channels
        case .headerBytes: \.headerBytes
        case .messageBytes: \.messageBytes
        case .fragments: \.fragmentsPerMessage
        case .controlFrames: \.controlFramesPerSecond
        case .malformedMessages: \.malformedMessages
        case .subscriptions: \.subscriptions
        case .unansweredRequests: \.unansweredRequests
        case .waitingRequests: \.waitingRequests
        case .waitingBytes: \.waitingBytes
        case .outboundBytes: \.outboundBytes
        case .handshake: \.handshakeMilliseconds
        case .idle: \.idleMilliseconds
        case .identify: \.identifyMilliseconds
        case .heartbeat: \.heartbeatMilliseconds
        case .silence: \.silenceMilliseconds
        case .stall: \.stallMilliseconds
        case .drain: \.drainMilliseconds
        case .close: \.closeMilliseconds
        }
    }

    /// Those that something can go past; `heartbeat_ms` is a pace.
    static let bounds = allCases.filter { $0 != .heartbeat }

    /// Whether `null` stands for no bound.
    var mayBeNone: Bool { self == .connectionsPerAddress || self == .memoryBytes }

    /// What it may be.
    public var range: ClosedRange<Int> {
        switch self {
        case .connections, .connectionsPerAddress, .httpConnections: 1...10_000_000
        case .memoryPercent: 1...100
        case .memoryBytes: 1_048_576...1_125_899_906_842_624
        case .channels: 1...1_000_000_000
        case .headerBytes: 1024...1_048_576
        case .messageBytes: 128...16_777_216
        case .fragments, .controlFrames, .malformedMessages: 1...1_000_000
        case .subscriptions: 1...65_536
        case .unansweredRequests: 16...1_000_000
        case .waitingRequests: 16...10_000_000
        case .waitingBytes: 1024...1_073_741_824
        case .outboundBytes: 1024...1_073_741_824
        case .handshake, .idle, .identify, .heartbeat, .silence, .stall, .drain, .close: 100...3_600_000
        }
    }
}
