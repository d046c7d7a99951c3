import Glibc

@testable import Transport

extension ByteStream {
    /// Lets the kernel hold only a few KB of what is sent, so that it refuses bytes early and often.
    func shrinkSendBuffer() {
        descriptor.set(SOL_SOCKET, SO_SNDBUF, to: 8192)
    }

    /// A whole-number option of the socket.
    func option(_ level: CInt, _ option: CInt) -> CInt {
        var value: CInt = -1
        var length = socklen_t(MemoryLayout<CInt>.size)
        unsafe getsockopt(descriptor.number, level, option, &value, &length)
        return value
    }
}

/// Runs blocking calls on a thread of their own, so that they do not hold up other tests.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    let loop = try EventLoop(name: "blocking")
    loop.start()
    defer { loop.stop() }
    return try await loop.run(work)
}

/// A path in the temporary folder that nothing has yet.
func temporaryPath(_ suffix: String = "") -> String {
    "/tmp/transport-tests-\(getpid())-\(UInt32.random(in: 0...(.max)))\(suffix)"
}

/// A timer that runs a closure.
final class Alarm: TimerHandler {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func timerFired(_ now: MonotonicTime) { action() }
}

/// Checks that bytes are a given run, again and again.
final class PatternChecker {
    private let pattern: [UInt8]
    private(set) var count = 0

    init(_ pattern: [UInt8]) { self.pattern = pattern }

    func accept(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let at = count % pattern.count
            let length = min(rest.count, pattern.count - at)
            guard rest.prefix(length) == pattern[at..<(at + length)] else { return false }
            rest = rest.dropFirst(length)
            count += length
        }
        return true
    }
}

/// What `openssl s_client` says of a connection, given this input.
func opensslClient(_ address: SocketAddress, _ options: [String], input: String = "") async throws -> String {
    try await offPool {
        try command(["timeout", "20", "openssl", "s_client", "-connect", "\(address)"] + options, input: input).output
    }
}
