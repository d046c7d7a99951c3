import FanfareClient
import Reactions
import Testing
import Transport
import Wire

@testable import fanfare

@Suite("What react prints")
struct ReactCommandTests {
    @Test(
        "says what happened in one line",
        arguments: [
            (
                Answer(.added, message: "m1", seq: 20, reaction: thumb, count: 3, own: []),
                "added 👍 on m1 in chat:42: 3 now (seq 20)"
            ),
            (
                Answer(.removed, message: "", seq: 21, reaction: thumb, count: 0, own: []),
                "removed 👍 in chat:42: 0 now (seq 21)"
            ),
            (
                Answer(.replaced, message: "m1", seq: 23, reaction: heart, previous: thumb, count: 1, own: []),
                "replaced 👍 by ❤️ on m1 in chat:42: 1 now (seq 23)"
            ),
            (
                Answer(.unchanged, message: "m1", seq: 23, reaction: thumb, count: 3, own: []),
                "unchanged 👍 on m1 in chat:42: 3 now (seq 23)"
            ),
        ])
    func line(_ answer: Answer, _ line: String) {
        #expect(ReactCommand.describe(answer, to: "👍", in: "chat:42") == line)
    }

    @Test("tells with each refusal its code and, where it helps, what to do", arguments: ErrorCode.allCases)
    func refused(_ code: ErrorCode) {
        let error = ClientError(.refused, "\(code.rawValue): words", refusal: code, retryAfter: .milliseconds(500))
        #expect(advice(for: error).hasPrefix("\(code.rawValue): words; try again in 0.5 s"))
        // The broker says itself what cannot be had: it may be a hook, the store, or room.
        #expect(!advice(for: error).contains("store"))
    }

    @Test("tells of each attempt that failed, and of the same reason again only after some seconds")
    func retries() {
        var lines = RetryLines()
        func line(_ state: ConnectionState, after seconds: Int) -> String? {
            lines.line(for: state, at: MonotonicTime(nanoseconds: 1) + .seconds(seconds))
        }
        func waiting(_ loss: Loss) -> ConnectionState { .waiting(retryAfter: .milliseconds(300), loss) }
        #expect(line(.connecting, after: 0) == nil)
        #expect(line(waiting(.noWelcome), after: 0) == "not connected: no welcome came in time; next attempt in 0.3 s")
        #expect(line(waiting(.noWelcome), after: 1) == nil)
        #expect(line(.connecting, after: 2) == nil)
        #expect(line(waiting(.noWelcome), after: 4) == nil)
        #expect(
            line(waiting(.rejected(status: 502)), after: 4)
                == "not connected: the broker answered with HTTP status 502 (and 2 more); next attempt in 0.3 s")
        #expect(line(waiting(.rejected(status: 502)), after: 8) == nil)
        #expect(line(waiting(.rejected(status: 502)), after: 9)?.contains("status 502 (and 1 more);") == true)
        #expect(line(waiting(.rejected(status: 502)), after: 14)?.contains("status 502;") == true)
        #expect(line(.connected(user: "ada"), after: 15) == nil)
    }

    @Test("tells what to check where there is no connection or no right to one")
    func noConnection() {
        #expect(advice(for: ClientError(.timedOut, "no connection")).contains("check --url"))
        #expect(advice(for: ClientError(.unauthorized, "bad token")).contains("FANFARE_TOKEN"))
    }
}

@Suite("The words of the commands")
struct CommandWordsTests {
    @Test(
        "are refused with exit code 2 where they are wrong",
        arguments: [
            ["chat:42", "m1"], ["chat 42", "m1", "👍"], ["", "m1", "👍"], ["chat:42", "..", "👍"], ["chat:42", "*", "👍"],
            ["chat:42", "m1", "👍", "--count", "0"], ["chat:42", "m1", "👍", "--count", "1001"],
            ["chat:42", "m1", "👍", "--remove", "--toggle"], ["chat:42", "m1", "👍", "--toggle", "--count", "2"],
            ["chat:42", "m1", "👍", "--user", "a b"], ["chat:42", "m1", "👍", "--token", "t", "--user", "ada"],
            ["chat:42", "m1", "👍", "--url", "ftp://host"], ["chat:42", "m1", "👍", "--nonsense"],
        ])
    func react(_ words: [String]) {
        #expect(ReactCommand.run(words) == ExitCode.wrongWords)
    }

    @Test(
        "are refused by watch as well",
        arguments: [[], ["a", "b"], ["chat:42", "--mode", "all"], ["chat:42", "--token", ""]])
    func watch(_ words: [String]) {
        #expect(WatchCommand.run(words) == ExitCode.wrongWords)
    }
}
