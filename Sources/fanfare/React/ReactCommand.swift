import CommandOptions
import FanfareClient
import Reactions

/// `fanfare react`: sends one reaction and says what happened.
enum ReactCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare react", summary: "Adds a reaction to a message, or takes it away, and prints what happened.",
        operands: [
            .init("CHANNEL", "the channel, such as chat:42"),
            .init("MESSAGE", "the message's id; - is the channel itself"),
            .init("REACTION", "an emoji, or a name such as party_parrot (behind -- where it begins with a dash)"),
        ],
        options: [
            .flag("remove", "take it away"),
            .flag("toggle", "add it where it is absent, else take it away"),
            .value("count", "N", "how many, 1 to 1000 (policy multiple alone)"),
        ] + BrokerOptions.all,
        examples: [
            .init("fanfare react chat:42 m1 👍 --user ada", "adds 👍 as ada, at a broker in development mode"),
            .init("fanfare react chat:42 m1 👍 --toggle --token \"$JWT\"", "takes it away again"),
            .init("fanfare react clap:7 m1 👏 --count 10", "claps ten times"),
        ])

    static func run(_ words: [String]) async -> Int32 {
        await run(words) { words in
            let channel = try BrokerOptions.channel(words)
            let message = try BrokerOptions.message(words)
            let reaction = try words.text("REACTION")
            let count = words.isGiven("count") ? try words.whole("count", in: 1...1000) : nil
            let client = try BrokerOptions.client(words)
            let answer =
                switch (words.flag("remove"), words.flag("toggle")) {
                case (true, true): throw UsageError("--remove and --toggle do not go together; give one of them")
                case (_, true) where count != nil: throw UsageError("--count does not go with --toggle")
                case (true, false): try await client.remove(reaction, from: message, in: channel, count: count)
                case (false, true): try await client.toggle(reaction, on: message, in: channel)
                case (false, false): try await client.add(reaction, to: message, in: channel, count: count)
                }
            StandardOutput().write(describe(answer, to: reaction, in: channel) + "\n")
            await client.close()
            return ExitCode.done
        }
    }

    /// The line that says what happened: `added 👍 on m1 in chat:42: 3 now (seq 20)`.
    static func describe(_ answer: Answer, to reaction: String, in channel: String) -> String {
        let reaction = answer.reaction?.text ?? reaction
        let what = answer.previous.map { "\($0) by \(reaction)" } ?? reaction
        let count = answer.count.map { ": \($0) now" } ?? ""
        let line =
            "\(answer.result.rawValue) \(what)\(place(answer.message, " on ")) in \(channel)\(count) (seq \(answer.seq))"
        return printable(line)
    }
}
