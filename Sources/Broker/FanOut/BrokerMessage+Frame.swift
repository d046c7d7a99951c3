import WebSocket
import Wire

extension BrokerMessage {
    /// Appends the message as one WebSocket frame.
    func append(frameTo frames: inout [UInt8]) {
        WebSocketFrame.append(textTo: &frames) { append(to: &$0) }
    }
}
