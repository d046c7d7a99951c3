import Foundation
import Glibc
import Testing
import Transport

/// The protocol of sd_notify(3).
@Suite struct ServiceNotifierTests {
    /// A manager's socket at a path.
    private final class Manager {
        let path: String
        private let number: CInt

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
            number = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            var system = sockaddr_un()
            system.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &system.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let result = unsafe withUnsafePointer(to: &system) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
        }

        deinit {
            close(number)
            unsafe unlink(path)
        }

        /// The next datagram; `nil` where there is none.
        func receive() -> String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(number, &bytes, bytes.count, CInt(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            (.ready, nil, "READY=1"), (.ready, "serving", "READY=1\nSTATUS=serving"),
            (.stopping, "two\nlines", "STOPPING=1\nSTATUS=two lines"), (.alive, nil, "WATCHDOG=1"),
        ] as [(ServiceNotifier.State, String?, String)])
    func `each state is one datagram`(state: ServiceNotifier.State, status: String?, expected: String) throws {
        let manager = try Manager()
        try ServiceNotifier(manager.path).tell(state, status: status)
        #expect(manager.receive() == expected)
        #expect(manager.receive() == nil)
    }

    @Test func `a reload carries the time of the monotonic clock, in microseconds`() throws {
        let manager = try Manager()
        let before = MonotonicTime.now.nanoseconds / 1000
        try ServiceNotifier(manager.path).tell(.reloading)
        let message = try #require(manager.receive())
        let digits = try #require(message.split(separator: "=").last)
        let time = try #require(UInt64(digits))
        #expect(message == "RELOADING=1\nMONOTONIC_USEC=\(time)")
        #expect((before...MonotonicTime.now.nanoseconds / 1000).contains(time))
    }

    @Test func `a manager that is gone is an error`() throws {
        let manager = try Manager()
        let notifier = try ServiceNotifier(manager.path)
        unsafe unlink(manager.path)
        #expect(throws: TransportError.system(call: "tell the service manager", errno: ENOENT)) {
            try notifier.tell(.alive)
        }
    }

    @Test(
        arguments: [
            "", "/", "@", "relative", "vsock:2:1", "/with\0zero", "/" + String(repeating: "a", count: 107),
            "@" + String(repeating: "a", count: 107),
        ])
    func `other names are refused`(name: String) {
        #expect(throws: TransportError.self) { try ServiceNotifier(name) }
    }

    @Test(arguments: ["/" + String(repeating: "a", count: 106), "@" + String(repeating: "a", count: 106), "@a", "/a"])
    func `the longest and the shortest names are taken`(name: String) throws {
        #expect(throws: TransportError.self) { try ServiceNotifier(name).tell(.alive) }
    }
}
