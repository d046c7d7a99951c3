import CLinux
import Glibc
import Testing
import Transport

@Suite(.timeLimit(.minutes(5)))
struct ListenerTests {
    @Test func `port 0 takes a free port, and every loop gets connections on it`() async throws {
        try await withLoop { one in
            try await withLoop { two in
                let first = try await Host(on: one)
                #expect(first.address.port != 0)
                let second = try await Host(on: two, "\(first.address)")
                #expect(second.address == first.address)
                let sockets = try (0..<64).map { _ in try RawSocket(to: first.address) }
                _ = await first.probe()
                _ = await second.probe()
                withExtendedLifetime(sockets) {}
            }
        }
    }

    @Test func `a port that somebody listens on is refused to an exclusive socket`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            #expect(throws: TransportError.system(call: "listen on \(host.address)", errno: EADDRINUSE)) {
                try ListeningSocket(host.address)
            }
            #expect(try ListeningSocket(host.address, isExclusive: false).address == host.address)
        }
    }

    @Test func `an address is checked without being taken`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            #expect(throws: TransportError.system(call: "listen on \(host.address)", errno: EADDRINUSE)) {
                try ListeningSocket.check(host.address)
            }
            let free = try ListeningSocket(.ipv4(0x7F00_0001, port: 0)).address
            try ListeningSocket.check(free)
            #expect(try ListeningSocket(free).address == free)
        }
    }

    @Test(arguments: [":0", "[::]:0"])
    func `both families are served on all addresses`(address: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, address)
            let port = try #require(host.address.port)
            let socket = try RawSocket(to: .ipv4(0x7F00_0001, port: port))
            let client = try await loop.connect(to: .ipv6(0, 1, scope: 0, port: port))
            await client.facts.wait { $0.connected == 1 }
            let hosts = [await host.probe(0), await host.probe(1)]
            let peers = try await loop.run { hosts.compactMap { $0.stream?.peerAddress } }
            #expect(Set(peers) == ["127.0.0.1", "::1"])
            withExtendedLifetime(socket) {}
        }
    }

    @Test func `of many connections that come at once none is left waiting`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            let address = host.address
            // On the loop, so that all wait when it next looks.
            let sockets = try await loop.run { try (0..<200).map { _ in try RawSocket(to: address) } }
            for index in sockets.indices { _ = await host.probe(index) }
            #expect(sockets.count == 200)
        }
    }

    @Test func `a closed listener refuses, and its connections go on`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, _ in probe.onReceive = { $0.send(copying: $1) } }
            let socket = try RawSocket(to: host.address)
            _ = await host.probe()
            try await host.close()
            try await host.close()
            #expect(throws: RawSocket.Failure.self) { try RawSocket(to: host.address) }
            try socket.send([5])
            #expect(try await offPool { try socket.receive() } == [5])
        }
    }

    @Test func `accepted sockets send small packets at once, and notice peers that vanish`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            let socket = try RawSocket(to: host.address)
            let probe = await host.probe()
            let (noDelay, keepsAlive) = try await loop.run {
                (
                    probe.stream?.option(CInt(IPPROTO_TCP), TCP_NODELAY),
                    probe.stream?.option(SOL_SOCKET, SO_KEEPALIVE)
                )
            }
            #expect(noDelay == 1)
            #expect(keepsAlive == 1)
            withExtendedLifetime(socket) {}
        }
    }

    // MARK: Unix sockets

    @Test func `a Unix socket's file goes with its listener`() async throws {
        try await withLoop { loop in
            let path = temporaryPath()
            let host = try await Host(on: loop, "unix:\(path)")
            #expect(unsafe access(path, F_OK) == 0)
            let socket = try RawSocket(to: host.address)
            let probe = await host.probe()
            #expect(try await loop.run { probe.stream?.peerAddress } == "unix")
            try await host.close()
            #expect(unsafe access(path, F_OK) != 0)
            withExtendedLifetime(socket) {}
        }
    }

    @Test func `the socket file of a dead server is replaced`() async throws {
        let path = temporaryPath()
        try makeSocketFile(path)
        try await withLoop { loop in
            let host = try await Host(on: loop, "unix:\(path)")
            let socket = try RawSocket(to: host.address)
            _ = await host.probe()
            withExtendedLifetime(socket) {}
        }
        #expect(unsafe access(path, F_OK) != 0)
    }

    @Test func `the socket of a live server is not stolen`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, "unix:\(temporaryPath())")
            #expect(throws: TransportError.self) { try ListeningSocket(host.address) }
            let socket = try RawSocket(to: host.address)
            _ = await host.probe()
            withExtendedLifetime(socket) {}
        }
    }

    @Test func `a regular file is never deleted`() throws {
        let path = temporaryPath()
        try write("precious", to: path)
        #expect(throws: TransportError.occupiedPath("\(path) exists and is not a socket")) {
            try ListeningSocket(.unix(path: path))
        }
        #expect(try read(path) == "precious")
        unsafe unlink(path)
    }

    @Test func `a file that took the path meanwhile is left alone`() throws {
        let path = temporaryPath()
        do {
            let socket = try ListeningSocket(.unix(path: path))
            unsafe unlink(path)
            try write("precious", to: path)
            withExtendedLifetime(socket) {}
        }
        #expect(try read(path) == "precious")
        unsafe unlink(path)
    }

    @Test func `several loops share one Unix socket until the last has closed`() async throws {
        try await withLoop { one in
            try await withLoop { two in
                let path = temporaryPath()
                let accepted = Facts<[Int]>([])
                let (first, second) = try await {
                    let socket = try ListeningSocket(.unix(path: path))
                    return (
                        try await listen(on: one, socket) { accepted.change { $0.append(1) } },
                        try await listen(on: two, socket) { accepted.change { $0.append(2) } }
                    )
                }()
                let busy = Facts(false)
                let mayGoOn = Facts(false)
                // While one loop is busy the other takes the connection.
                one.execute {
                    busy.change { $0 = true }
                    while !mayGoOn.value {}
                }
                await busy.wait { $0 }
                var sockets = [try RawSocket(to: .unix(path: path))]
                await accepted.wait { $0.contains(2) }
                mayGoOn.change { $0 = true }
                try await two.run { second.value?.close() }
                #expect(unsafe access(path, F_OK) == 0)
                sockets.append(try RawSocket(to: .unix(path: path)))
                await accepted.wait { $0.contains(1) }
                try await one.run { first.value?.close() }
                #expect(unsafe access(path, F_OK) != 0)
            }
        }
    }

    // @unchecked: the listener is used on its loop only.
    private struct Held: @unchecked Sendable {
        var value: Listener?
    }

    private func listen(
        on loop: EventLoop, _ socket: ListeningSocket, accept: @escaping @Sendable () -> Void
    ) async throws -> Held {
        try await loop.run {
            Held(value: try Listener(on: loop, socket: socket) { _ in accept() })
        }
    }

    /// Leaves the socket file that a server leaves which was killed.
    private func makeSocketFile(_ path: String) throws {
        let number = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { _ = close(number) }
        var system = sockaddr_un()
        system.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &system.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &system) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
    }

    // MARK: No descriptor left

    @Test func `without descriptors the listener rests, serves what it has, and goes on when one is free`() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop(name: "test")
            loop.start()
            let host = try await Host(on: loop) { probe, _ in probe.onReceive = { $0.send(copying: $1) } }
            let served = try RawSocket(to: host.address)
            let leaving = try RawSocket(to: host.address)
            _ = await host.probe(1)
            let waiting = (0..<5).map { _ in socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }
            // From here on there is no descriptor left.
            try #require(clinux_set_descriptor_limit(128) == 0)
            var filling: [CInt] = []
            while true {
                let copy = dup(0)
                if copy < 0 { break }
                filling.append(copy)
            }
            try #require(errno == EMFILE)
            for number in waiting { try connect(number, to: host.address) }

            let before = cpuMilliseconds()
            let alarm = Facts(false)
            try await loop.run { _ = loop.schedule(Alarm { alarm.change { $0 = true } }, after: .milliseconds(500)) }
            try served.send([1, 2, 3])
            try #require(try served.receive() == [1, 2, 3])
            await alarm.wait { $0 }
            // One that does not rest takes all of the half second; other threads of the process take some of it.
            try #require(cpuMilliseconds() - before < 250)
            try #require(host.count == 2)

            // One stream closes: one connection comes in, at once.
            leaving.resetOnClose()
            leaving.finishWriting()
            let left = await host.probe(1)
            try await loop.run { left.stream?.abort() }
            _ = await host.probe(2)
            try #require(host.count == 3)
            // Others elsewhere become free: the rest comes in after at most 100 ms.
            for number in filling { _ = close(number) }
            _ = await host.probe(6)
            loop.stop()
        }
    }
}

/// Connects a socket that exists already.
private func connect(_ number: CInt, to address: SocketAddress) throws {
    guard case .ipv4(let host, let port) = address else { throw TransportError.closed }
    var system = sockaddr_in()
    system.sin_family = sa_family_t(AF_INET)
    system.sin_port = port.bigEndian
    system.sin_addr = in_addr(s_addr: host.bigEndian)
    let result = unsafe withUnsafePointer(to: &system) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(result == 0)
}

/// The processor time of this process, in milliseconds.
private func cpuMilliseconds() -> Int {
    var usage = rusage()
    unsafe getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        / 1000
}
