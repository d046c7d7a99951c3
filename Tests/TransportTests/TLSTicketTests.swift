import Glibc
import Testing

@testable import Transport

/// The keys of session tickets, and what tickets are good for.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSTicketTests {
    private static func time(_ minutes: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1) + .seconds(60 * minutes)
    }

    /// Ticket keys at chosen minutes.
    private final class Keys {
        private var keys = TicketKeys()

        func sealing(at minute: Int) -> TicketKey? { keys.sealingKey(at: time(minute)) }

        /// Whether a key's ticket should be replaced; nil where it is not opened any more.
        func isOld(_ key: TicketKey, at minute: Int) -> Bool? {
            let found = unsafe keys.openingKey(named: key.name, at: time(minute))
            #expect(found == nil || found?.key === key)
            return found?.isOld
        }
    }

    @Test func `a key seals for an hour, opens for two, and is forgotten`() throws {
        let keys = Keys()
        let first = try #require(keys.sealing(at: 0))
        #expect(keys.sealing(at: 59) === first)
        #expect(keys.isOld(first, at: 59) == false)
        let second = try #require(keys.sealing(at: 60))
        #expect(second !== first)
        #expect(keys.isOld(first, at: 119) == true)
        #expect(keys.isOld(first, at: 120) == nil)
        let third = try #require(keys.sealing(at: 121))
        #expect(keys.isOld(second, at: 121) == true)
        #expect(keys.isOld(third, at: 121) == false)
        #expect(keys.isOld(third, at: 1000) == nil)
    }

    @Test func `a key that has been forgotten is no longer in memory`() throws {
        var keys = TicketKeys()
        weak let first = keys.sealingKey(at: Self.time(0))
        #expect(first != nil)
        _ = keys.sealingKey(at: Self.time(60))
        #expect(first != nil)
        _ = keys.sealingKey(at: Self.time(120))
        #expect(first == nil)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a session is resumed on another loop, and after a reload`(version: String) async throws {
        let context = try TLSTests.server()
        let file = temporaryPath(".session")
        defer { unsafe unlink(file) }
        try await withLoop { first in
            try await withLoop { second in
                // The server's end comes behind the ticket, so the client has it by then.
                let hosts = [
                    try await Host(on: first, tls: context) { _, stream in stream.finish() },
                    try await Host(on: second, tls: context),
                ]
                let new = try await opensslClient(hosts[0].address, [version, "-sess_out", file, "-ign_eof"])
                #expect(new.contains("New, TLSv1."), "\(new)")
                for host in hosts {
                    let resumed = try await opensslClient(host.address, [version, "-sess_in", file])
                    #expect(resumed.contains("Reused, TLSv1."), "\(resumed)")
                }
                #expect(context.reload() == [])
                let later = try await opensslClient(hosts[1].address, [version, "-sess_in", file])
                #expect(later.contains("Reused, TLSv1."), "\(later)")
                // Another server has other keys.
                let stranger = try await Host(on: first, tls: TLSTests.server())
                let refused = try await opensslClient(stranger.address, [version, "-sess_in", file])
                #expect(refused.contains("New, TLSv1."), "\(refused)")
            }
        }
    }

    @Test func `there is no early data`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server())
            let output = try await opensslClient(host.address, ["-tls1_3"])
            #expect(output.contains("Early data was not sent"))
            #expect(!output.contains("Max Early Data: 1"), "\(output)")
        }
    }
}
