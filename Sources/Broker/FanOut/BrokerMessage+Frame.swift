import WebSocket
import Wire

extension BrokerMessage {
    /// Appends the message as one WebSocket frame; `scratch` is a buffer to be used again, for its memory alone.
    func append(frameTo frames: inout [UInt8], scratch: inout [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        append(to: &scratch)
        WebSocketFrame.append(text: scratch.span, to: &frames)
    }
}
