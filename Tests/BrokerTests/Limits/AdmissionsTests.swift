import Testing
import Transport

@testable import Broker

@Suite struct AdmissionsTests {
    private func limits(all: Int, each: Int) -> BrokerSettings.Limits {
        var limits = BrokerSettings.Limits()
        limits.connections = all
        limits.connectionsPerAddress = each
        return limits
    }

    @Test("the process is full at its limit, and a place that is left is free again")
    func all() throws {
        let admissions = Admissions()
        let limits = limits(all: 2, each: .max)
        var places = [try #require(admissions.admit(.ipv4(1, port: 1), limits))]
        places.append(try #require(admissions.admit(.unix(path: ""), limits)))
        #expect(admissions.admit(.ipv4(2, port: 1), limits) == nil)
        #expect(admissions.count == 2)
        places.removeLast()
        #expect(admissions.count == 1)
        places.append(try #require(admissions.admit(.ipv4(2, port: 1), limits)))
        places = []
        #expect(admissions.count == 0)
    }

    @Test(
        "an address has its own limit, whatever the port; an IPv6 network of 64 bits is one address",
        arguments: [
            (.ipv4(7, port: 1), .ipv4(7, port: 2), true), (.ipv4(7, port: 1), .ipv4(8, port: 1), false),
            (.ipv6(1, 2, scope: 0, port: 1), .ipv6(1, 3, scope: 0, port: 1), true),
            (.ipv6(1, 2, scope: 0, port: 1), .ipv6(2, 2, scope: 0, port: 1), false),
            (.unix(path: ""), .unix(path: ""), false),
        ] as [(SocketAddress, SocketAddress, Bool)])
    func each(one: SocketAddress, other: SocketAddress, isSame: Bool) throws {
        let admissions = Admissions()
        let limits = limits(all: 10, each: 1)
        let place = try #require(admissions.admit(one, limits))
        #expect((admissions.admit(other, limits) == nil) == isSame)
        withExtendedLifetime(place) {}
    }
}
