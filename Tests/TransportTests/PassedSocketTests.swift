import Glibc
import Testing

@testable import Transport

/// The protocol of sd_listen_fds(3), as far as it needs no descriptors at fixed places; `EndToEndTests` has the rest.
@Suite struct PassedSocketTests {
    private func reason(_ environment: [String: String]) -> String? {
        do throws(PassedSocket.Failure) {
            return try PassedSocket.take(environment).isEmpty ? nil : "sockets"
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"], ["LISTEN_PID": "1", "LISTEN_FDS": "many"],
        ])
    func `without sockets for this process nothing is touched`(environment: [String: String]) {
        #expect(reason(environment) == nil)
    }

    @Test(arguments: ["", "-1", "257", "many", "99999999999999999999"])
    func `a number that cannot be is refused`(count: String) {
        let reason = reason(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": count])
        #expect(reason == "LISTEN_FDS is how many sockets were passed, 0 to 256, not \"\(count)\"")
    }

    @Test func `a process that is none is refused`() {
        let reason = reason(["LISTEN_PID": "me", "LISTEN_FDS": "1"])
        #expect(reason == "LISTEN_PID is the number of a process, not \"me\"")
    }
}
