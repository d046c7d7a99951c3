import Broker

extension SettingHelp {
    static func limit(_ name: LimitName) -> SettingHelp {
        let range = "\(name.range.lowerBound) to \(name.range.upperBound)"
        let words = words(for: name) + (name.rawValue.hasSuffix("_ms") ? ", in milliseconds" : "")
        return SettingHelp("limits.\(name.rawValue)", range, words)
    }

    private static func words(for name: LimitName) -> String {
        switch name {
        case .connections: "connections that stay, WebSockets and event streams"
        case .connectionsPerAddress: "those of one address; an IPv6 network of 64 bits is one; null: no limit"
        case .httpConnections: "connections that speak HTTP, or are in their handshake"
        case .memoryPercent: "part of the memory that may be used, in percent, above which nobody else comes in"
        case .memoryBytes: "bytes of memory that may be used; null: what the control group allows, or the machine has"
        case .channels: "channels in memory"
        case .headerBytes: "the head of a request"
        case .messageBytes: "a message, a frame, the body of a request"
        case .fragments: "frames of one message"
        case .controlFrames: "pings and pongs of a connection in a second"
        case .malformedMessages: "messages of a connection that are not JSON, within a minute"
        case .subscriptions: "subscriptions of a connection"
        case .unansweredRequests: "requests of a connection that are not answered"
        case .waitingRequests: "requests that wait in a channel for the store"
        case .waitingBytes: "bytes of requests that wait in a channel for the log of several brokers"
        case .outboundBytes: "bytes that wait for a connection"
        case .handshake: "from the connection to its first request's head, and for each body"
        case .idle: "rest between two requests"
        case .identify: "until a WebSocket says who it is"
        case .heartbeat: "silence of a WebSocket that brings a ping"
        case .silence: "silence beyond that, after which it is dropped"
        case .stall: "in which a reader takes nothing of what waits"
        case .drain: "in which it takes nothing of the last bytes"
        case .close: "for its end of the connection, when all is written"
        }
    }
}
