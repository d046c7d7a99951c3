import Broker
import CommandOptions
import FanfareClient
import Glibc
import Transport
import Wire

/// `fanfare watch`: shows what happens in a channel, on a terminal as a live view, else as lines.
enum WatchCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare watch",
        summary: "Shows a channel's reactions as they happen: a live view on a terminal, else one line a change.",
        operands: [.init("CHANNEL", "the channel, such as chat:42")],
        options: [
            .value(
                "mode", "MODE", "events (each change) or summary (counts, merged)", default: "events",
                takes: .choice(["events", "summary"])),
            .flag("json", "print the broker's messages as they were received, one a line"),
        ] + BrokerOptions.all,
        examples: [
            .init("fanfare watch chat:42", "the live view; q or Control-C ends it"),
            .init("fanfare watch chat:42 --mode summary --url wss://example.org", "merged counts, from elsewhere"),
            .init("fanfare watch chat:42 | grep ^added", "lines such as added seq=20 message=m1 reaction=👍 count=3 …"),
            .init("fanfare watch chat:42 --json", "what the broker says, as JSON"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let channel = try BrokerOptions.channel(words)
            let mode = try words.choice("mode", as: Mode.self)
            let output = StandardOutput()
            guard words.flag("json") else {
                let client = try BrokerOptions.client(words)
                if output.isTerminal { return try LiveView.run(client, channel, mode, output) }
                return try printLines(client, channel, mode) { update throws(OutputFailure) in
                    for line in PlainLines.lines(for: update) { try output.write(line + "\n") }
                }
            }
            let failure = Locked<OutputFailure?>(nil)
            let client = try BrokerOptions.client(words) { message in
                // On the client's loop: a slow reader of this output slows the connection, and the broker's bound holds.
                do throws(OutputFailure) { try output.write(oneLine(message)) } catch {
                    failure.withLock { $0 = error }
                }
            }
            return try printLines(client, channel, mode) { _ throws(OutputFailure) in
                if let failure = failure.withLock({ $0 }) { throw failure }
            }
        }
    }

    /// Prints until a signal comes, nobody reads any more, or the client gives up.
    private static func printLines(
        _ client: ReactionClient, _ channel: String, _ mode: Mode,
        print: @escaping @Sendable (ChannelUpdate) throws(OutputFailure) -> Void
    ) throws -> Int32 {
        try onInterruption { _ in Task { await client.close() } }
        let unread = Task {
            await StandardOutput().waitUntilUnread()
            await client.close()
        }
        defer { unread.cancel() }
        try blocking {
            for await update in client.events(in: channel, mode: mode) {
                if case .ended(let error) = update { throw error }
                if case .connection(let state) = update,
                    let line = ConnectionLines.line(for: state, at: "\(client.url)")
                {
                    complain(line, .info)
                }
                do throws(OutputFailure) { try print(update) } catch {
                    await client.close()
                    if error.isUnread { return }
                    throw error
                }
            }
            await client.close()
        }
        return ExitCode.done
    }

    /// A message as one line: JSON holds raw line breaks only between its tokens, where a blank says the same.
    private static func oneLine(_ message: [UInt8]) -> [UInt8] {
        var line = message
        for index in line.indices where line[index] == 0x0A || line[index] == 0x0D { line[index] = 0x20 }
        line.append(0x0A)
        return line
    }
}
