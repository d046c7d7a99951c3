internal import Glibc

/// Where a client's connection comes from, and what its socket is like.
public struct ConnectOptions: Sendable, Hashable {
    /// The address of this machine that it comes from, its port left to the kernel; nil: the kernel chooses.
    ///
    /// Used for peers of the same family only.
    public var source: SocketAddress?
    /// How many bytes the kernel keeps of what was not read yet, about; nil: as many as it thinks fit.
    public var receiveBuffer: Int?

    /// Makes options; without any, the kernel decides.
    public init(source: SocketAddress? = nil, receiveBuffer: Int? = nil) {
        self.source = source
        self.receiveBuffer = receiveBuffer
    }

    /// Prepares a socket that is not connected yet.
    func apply(to descriptor: borrowing FileDescriptor, family: CInt) throws(TransportError) {
        if let receiveBuffer { descriptor.set(SOL_SOCKET, SO_RCVBUF, to: CInt(clamping: receiveBuffer)) }
        guard let source, source.family == family, source.port != nil else { return }
        // The port is taken when connecting, so that one port serves several peers.
        descriptor.set(CInt(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, to: 1)
        let result = unsafe source.with(port: 0).withSystemAddress { unsafe Glibc.bind(descriptor.number, $0, $1) }
        guard result == 0 else { throw .last("bind to \(source.host)") }
    }
}
