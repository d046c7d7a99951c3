import Transport

/// A listener on a loop with a probe for every connection.
// @unchecked: the listener is used on its loop only, the probes are under a lock.
final class Host: @unchecked Sendable {
    let loop: EventLoop
    let address: SocketAddress
    private let probes = Facts<[Probe]>([])
    private var listener: Listener?

    /// Listens; `prepare` is called on the loop for each connection that comes.
    init(
        on loop: EventLoop, _ address: String = "127.0.0.1:0", tls: TLSServerContext? = nil,
        handshakeTimeout: Duration = .seconds(10),
        prepare: @escaping @Sendable (Probe, ByteStream) -> Void = { _, _ in }
    ) async throws {
        self.loop = loop
        let address = try SocketAddress.parse(address)
        let probes = probes
        nonisolated(unsafe) var made: Listener?
        self.address = try await loop.run {
            let listener = try Listener(on: loop, address: address, tls: tls, handshakeTimeout: handshakeTimeout) {
                stream in
                let probe = Probe()
                probe.take(stream)
                prepare(probe, stream)
                probes.change { $0.append(probe) }
            }
            unsafe made = listener
            return listener.address
        }
        listener = unsafe made
    }

    /// The probe of the n-th connection, once it is there.
    func probe(_ index: Int = 0) async -> Probe {
        await probes.wait { $0.count > index }[index]
    }

    var count: Int { probes.value.count }

    func close() async throws {
        try await loop.run { self.listener?.close() }
    }
}

extension EventLoop {
    /// Begins to connect and hands back the probe of the new stream.
    func connect(
        to address: SocketAddress, tls: TLSClientSettings? = nil, limit: Duration = .seconds(10),
        prepare: @escaping @Sendable (Probe) -> Void = { _ in }
    ) async throws -> Probe {
        try await run {
            let probe = Probe()
            prepare(probe)
            probe.take(try ByteStream.connect(to: address, on: self, tls: tls, limit: limit, delegate: probe))
            return probe
        }
    }
}
