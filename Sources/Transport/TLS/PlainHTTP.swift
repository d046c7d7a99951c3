internal import Glibc

extension ByteStream {
    /// Tells a peer that speaks plain HTTP at a TLS port what is wrong, in its own words, and closes.
    func refusePlainHTTP() {
        let text = "This port speaks TLS: use https:// or wss://.\n"
        let answer =
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r\n"
            + "Connection: close\r\n\r\n" + text
        // A few bytes into an empty buffer: the kernel takes them, or nobody reads them anyway.
        var bytes = Array(answer.utf8)
        _ = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe Glibc.send(descriptor.number, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
        }
        _ = shutdown(descriptor.number, CInt(SHUT_WR))
        // What is still unread would turn the close into a reset, which may overtake the answer.
        let buffer = unsafe loop.core.readBuffer
        for _ in 0..<Self.readsPerEvent {
            guard unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0) > 0 else { break }
        }
        close(.tls("the peer speaks plain HTTP"))
    }
}
