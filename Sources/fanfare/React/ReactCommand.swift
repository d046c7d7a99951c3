import Broker
import CommandOptions
import FanfareClient
import Reactions
import Transport

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

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let channel = try BrokerOptions.channel(words)
            let message = try BrokerOptions.message(words)
            let reaction = try words.text("REACTION")
            let count = words.isGiven("count") ? try words.whole("count", in: 1...1000) : nil
            let (removes, toggles) = (words.flag("remove"), words.flag("toggle"))
            guard !removes || !toggles else {
                throw UsageError("--remove and --toggle do not go together; give one of them")
            }
            guard !toggles || count == nil else { throw UsageError("--count does not go with --toggle") }
            let lines = Locked(RetryLines())
            let client = try BrokerOptions.client(
                words,
                stateChanged: { state in
                    guard let line = lines.withLock({ $0.line(for: state, at: .now) }) else { return }
                    complain("\(options.name): \(line)", .info)
                })
            try blocking {
                let answer =
                    if removes {
                        try await client.remove(reaction, from: message, in: channel, count: count)
                    } else if toggles {
                        try await client.toggle(reaction, on: message, in: channel)
                    } else {
                        try await client.add(reaction, to: message, in: channel, count: count)
                    }
                await client.close()
                try StandardOutput().write(describe(answer, to: reaction, in: channel) + "\n")
            }
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
