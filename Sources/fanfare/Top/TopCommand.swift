import CommandOptions
import FanfareClient
import Foundation
import Transport
import Wire

/// `fanfare top`: what a broker is about, on a terminal as a live view, else as lines.
enum TopCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare top",
        summary: "Shows what a broker is about as it moves: a live view on a terminal, else one line each time.",
        operands: [.init("URL", "the broker, instead of --url", isRequired: false)],
        options: ServerCall.options + [
            .value("interval", "TIME", "how often to ask, 1s or more", default: "2s"),
            .value("count", "N", "end after so many answers (default: go on)"),
        ],
        examples: [
            .init("fanfare top", "a broker in development mode on this machine, which asks for no key"),
            .init("fanfare top https://example.org --key \"$KEY\"", "the live view; q or Control-C ends it"),
            .init("fanfare top --interval 10s >> top.log", "lines such as time=… connections=1204 changes=87.5/s …"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let interval = try words.duration("interval", in: .seconds(1)...(.seconds(3_600)))
            let count = words.isGiven("count") ? try words.whole("count", in: 1...1_000_000) : nil
            let url = try url(words)
            let call = ServerCall.make(
                "GET", ServerCall.base(of: url) + "/v1/status", at: url, key: try ServerCall.key(words), words)
            let output = StandardOutput()
            // A first answer tells at once whether there is a broker that lets us look.
            let first = TopFigures(try ask(call))
            let feed = try LiveFeed(TopBoard(first, clock: .local))
            try onInterruption { _ in feed.end(nil) }
            guard output.isTerminal else { return try print(first, call, feed, interval, count, output) }
            follow(call, feed, interval, count)
            let error = LiveScreen.show(feed, output) { $0.rows(width: $1, height: $2) }
            if let error { throw error }
            return ExitCode.done
        }
    }

    private static func url(_ words: CommandWords) throws(UsageError) -> BrokerURL {
        guard words.textIfAny("URL") != nil else { return try ServerCall.url(words) }
        guard words.source(of: "url") != "--url" else {
            throw UsageError("URL and --url say the same; give one of them")
        }
        return try ServerCall.url(words, "URL")
    }

    private static func ask(_ call: HTTPCall) throws -> BrokerStatus {
        let answer = try call.perform()
        guard answer.status == 200 else { throw HTTPCall.Failure(description: ServerCall.advice(on: answer)) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let status = try? decoder.decode(BrokerStatus.self, from: Data(answer.body)) else {
            throw HTTPCall.Failure(description: "what answers there tells no status of a broker; check --url")
        }
        return status
    }

    /// Asks again and again on a thread of its own; a broker that is gone is waited for.
    private static func follow(_ call: HTTPCall, _ feed: LiveFeed<TopBoard>, _ interval: Duration, _ count: Int?) {
        Thread.detachNewThread {
            var left = count.map { $0 - 1 }
            while left != 0 {
                wait(interval)
                do {
                    let status = try ask(call)
                    feed.change { $0.take(status) }
                } catch {
                    feed.change { $0.failure = "\(error)" }
                }
                left = left.map { $0 - 1 }
            }
            feed.end(nil)
        }
    }

    private static func wait(_ interval: Duration) {
        Thread.sleep(forTimeInterval: interval / .seconds(1))
    }

    /// Prints a line an answer until a signal comes, nobody reads any more, or there were enough.
    private static func print(
        _ first: TopFigures, _ call: HTTPCall, _ feed: LiveFeed<TopBoard>, _ interval: Duration, _ count: Int?,
        _ output: StandardOutput
    ) throws -> Int32 {
        var figures = first
        var left = count
        while true {
            do throws(OutputFailure) { try output.write(figures.line + "\n") } catch {
                guard error.isUnread else { throw error }
                return ExitCode.done
            }
            left = left.map { $0 - 1 }
            if left == 0 || feed.isOver(within: interval) { return ExitCode.done }
            do { figures.take(try ask(call)) } catch {
                complain("fanfare top: \(error)")
                return ExitCode.failed
            }
        }
    }
}
