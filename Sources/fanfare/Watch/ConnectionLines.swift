import FanfareClient
import Wire

/// What `watch` tells about its connection on standard error.
enum ConnectionLines {
    /// The line of a state; `nil` for the end, which is told by the error that follows.
    static func line(for state: ConnectionState, at url: String) -> String? {
        switch state {
        case .connecting: "connecting to \(url)"
        case .connected(let user): "connected to \(url)\(user.map { " as \($0)" } ?? "")"
        case .waiting(let wait, .broken(let why?)) where isRefusal(why):
            "not subscribed: \(why); next attempt in \(seconds(wait))"
        case .waiting(let wait, let loss): "not connected: \(loss); next attempt in \(seconds(wait))"
        case .closed: nil
        }
    }

    /// Whether the words are the broker's, who refused the subscription; the client left to ask anew.
    private static func isRefusal(_ words: String) -> Bool {
        ErrorCode.allCases.contains { words.hasPrefix($0.rawValue + ": ") }
    }
}
