import Transport

/// Accepts connections and keeps them while they last; lives on one loop.
final class EchoServer {
    private var connections: [ObjectIdentifier: EchoConnection] = [:]
    private var listener: Listener?

    /// Begins to listen; gives the address with its real port.
    func listen(on loop: EventLoop, at address: SocketAddress, tls: TLSServerContext?) throws -> SocketAddress {
        let listener = try Listener(on: loop, address: address, tls: tls) { stream in
            let connection = EchoConnection { connection, _ in
                self.connections[ObjectIdentifier(connection)] = nil
            }
            self.connections[ObjectIdentifier(connection)] = connection
            stream.delegate = connection
        }
        self.listener = listener
        return listener.address
    }
}
