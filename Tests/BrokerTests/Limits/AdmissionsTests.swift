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
        var places = [try admissions.admit(.staying, .ipv4(1, port: 1), limits)]
        places.append(try admissions.admit(.staying, .unix(path: ""), limits))
        #expect(throws: LimitName.connections) { try admissions.admit(.staying, .ipv4(2, port: 1), limits) }
        #expect(admissions.count == 2)
        places.removeLast()
        #expect(admissions.count == 1)
        places.append(try admissions.admit(.staying, .ipv4(2, port: 1), limits))
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
        let place = try admissions.admit(.staying, one, limits)
        var hit: LimitName?
        do throws(LimitName) { _ = try admissions.admit(.staying, other, limits) } catch { hit = error }
        #expect(hit == (isSame ? .connectionsPerAddress : nil))
        withExtendedLifetime(place) {}
    }

    @Test(
        "those who stay and those who pass have places of their own; who shares an address has no bound but the common one"
    )
    func kinds() throws {
        let admissions = Admissions()
        var limits = limits(all: 5, each: 1)
        limits.httpConnections = 3
        let address = SocketAddress.ipv4(7, port: 1)
        var places = [try admissions.admit(.staying, address, limits), try admissions.admit(.passing, address, limits)]
        #expect(throws: LimitName.connectionsPerAddress) { try admissions.admit(.passing, address, limits) }
        for _ in 0..<2 { places.append(try admissions.admit(.passing, nil, limits)) }
        #expect(throws: LimitName.httpConnections) { try admissions.admit(.passing, nil, limits) }
        #expect((admissions.count, admissions.passingCount) == (1, 3))
        places = []
        #expect((admissions.count, admissions.passingCount) == (0, 0))
    }
}
