import Testing

@testable import Broker

@Suite("Names of connections")
struct ConnectionKeyTests {
    @Test("The hub stands in decimal digits, the rest in hexadecimal ones")
    func description() {
        #expect(ConnectionKey(hub: 0, slot: 0, generation: 0).description == "c-0-0-0")
        #expect(ConnectionKey(hub: 12, slot: 0x2F, generation: 0x10).description == "c-12-2f-10")
        #expect(
            ConnectionKey(hub: Int(UInt32.max), slot: .max, generation: .max).description
                == "c-4294967295-ffffffff-ffffffff")
    }
}
