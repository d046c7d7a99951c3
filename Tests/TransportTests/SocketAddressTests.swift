import Glibc
import Testing

@testable import Transport

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", SocketAddress.ipv4(0x7F00_0001, port: 8080)),
        ("0.0.0.0:0", .ipv4(0, port: 0)),
        ("255.255.255.255:65535", .ipv4(.max, port: 65535)),
        ("[::1]:8443", .ipv6(0, 1, scope: 0, port: 8443)),
        ("[::]:1", .ipv6(0, 0, scope: 0, port: 1)),
        ("[2001:db8::ff]:80", .ipv6(0x2001_0DB8_0000_0000, 0xFF, scope: 0, port: 80)),
        (":443", .any(port: 443)),
        ("localhost:1", .name("localhost", port: 1)),
        ("my-host.example.org:99", .name("my-host.example.org", port: 99)),
        ("unix:/run/fanfare.sock", .unix(path: "/run/fanfare.sock")),
        ("unix:relative:with:colons", .unix(path: "relative:with:colons")),
    ])
    func `an address is read and written the same`(text: String, address: SocketAddress) throws {
        #expect(try SocketAddress.parse(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "8080", "localhost", "localhost:", ":", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1",
        "127.0.0.1:1x", "::1:8080", "[::1]", "[::1:8080", "[127.0.0.1]:80", "[]:80", "[nonsense]:80", "ho st:80",
        "host/path:80", "http://host:80", "unix:", "höst:80", "127.0.0.1:٣",
        "unix:" + String(repeating: "x", count: 108),
    ])
    func `what is no address is refused with the reason`(text: String) throws {
        let error = #expect(throws: TransportError.self) { try SocketAddress.parse(text) }
        guard case .invalidAddress(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("is not an address: "))
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("localhost:1", true), ("unix:x", true),
        ("128.0.0.1:1", false), ("0.0.0.0:1", false), (":1", false), ("[::]:1", false), ("[::2]:1", false),
        ("example.org:1", false), ("[::ffff:127.0.0.1]:1", true), ("[::ffff:8.8.8.8]:1", false),
    ])
    func `loopback is what only this machine reaches`(text: String, isLoopback: Bool) throws {
        #expect(try SocketAddress.parse(text).isLoopback == isLoopback)
    }

    @Test func `a name is resolved with its port, other addresses are their own answer`() throws {
        let addresses = try SocketAddress.name("localhost", port: 7).resolved()
        #expect(addresses.contains(.ipv4(0x7F00_0001, port: 7)))
        #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 7 })
        #expect(try SocketAddress.any(port: 3).resolved() == [.any(port: 3)])
        #expect(throws: TransportError.self) { try SocketAddress.name("does-not-exist.invalid", port: 1).resolved() }
    }

    @Test(arguments: [
        (EAI_AGAIN, true), (EAI_MEMORY, true), (EAI_SYSTEM, true), (EAI_NONAME, false), (EAI_FAIL, false),
    ])
    func `where no server could be asked for a name, a later answer may be another`(result: CInt, mayPass: Bool) {
        #expect(SocketAddress.mayPass(result) == mayPass)
    }

    @Test func `the port can be replaced`() throws {
        for text in ["127.0.0.1:1", "[::1]:1", ":1", "a:1"] {
            #expect(try SocketAddress.parse(text).with(port: 2).port == 2)
        }
        #expect(SocketAddress.unix(path: "x").with(port: 2) == .unix(path: "x"))
    }
}
