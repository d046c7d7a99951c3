import WebSocket
import Wire

extension BrokerMessage {
    /// Appends the message as one WebSocket frame.
    func append(frameTo frames: inout [UInt8]) {
        // Most are shorter, and need no more room after that.
        if frames.isEmpty { frames.reserveCapacity(512) }
        WebSocketFrame.append(textTo: &frames) { append(to: &$0) }
    }
}
