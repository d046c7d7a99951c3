private import Glibc

/// How the rate goes on over time: steady stretches, ramps and bursts, one after the other.
public struct Profile: Sendable, Equatable {
    /// One stretch of a profile.
    enum Stage: Sendable, Equatable {
        /// A rate that changes evenly from one number a second to another, or stays, for so many seconds.
        case stretch(from: Double, to: Double, seconds: Double)
        /// So many requests that are all due at one moment.
        case burst(Double)

        /// How many requests are due in it, a fraction included.
        var count: Double {
            switch self {
            case .stretch(let from, let to, let seconds): (from + to) / 2 * seconds
            case .burst(let count): count
            }
        }

        var seconds: Double {
            if case .stretch(_, _, let seconds) = self { seconds } else { 0 }
        }

        /// The highest rate; a burst has none.
        var peak: Double {
            if case .stretch(let from, let to, _) = self { max(from, to) } else { 0 }
        }
    }

    /// What is wrong with a profile, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    /// At least one.
    let stages: [Stage]

    /// A rate that stays.
    ///
    /// - Parameters:
    ///   - rate: Requests a second.
    ///   - duration: For how long.
    public init(rate: Double, for duration: Duration) {
        stages = [.stretch(from: rate, to: rate, seconds: duration / .seconds(1))]
    }

    /// Reads stages with commas between them: `100@5s` (steady), `100-1000@10s` (a ramp), `+500` (a burst), `0@2s` (a pause).
    ///
    /// - Parameters:
    ///   - text: The stages.
    ///   - duration: Reads a length of time such as `5s`.
    /// - Throws: A ``Problem`` that names the stage that cannot be read.
    public init(_ text: String, duration: (String) -> Duration?) throws(Problem) {
        var stages: [Stage] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let stage = Profile.stage(word, duration) else {
                throw Problem(
                    message: "\"\(word)\" is no stage of a profile such as 100@5s, 100-1000@10s, 0@2s or +500 "
                        + "(rates up to \(Format.short(Plan.rates.upperBound)), bursts up to 1000000)")
            }
            stages.append(stage)
        }
        self.stages = stages
        guard Plan.durations.contains(length) else {
            throw Problem(message: "the stages of a profile last 100ms to 24h together, not \(Format.short(seconds))s")
        }
        guard count >= 1 else { throw Problem(message: "the profile \"\(text)\" has no request in it") }
    }

    private static func stage(_ word: Substring, _ duration: (String) -> Duration?) -> Stage? {
        if word.first == "+" {
            guard let count = number(word.dropFirst()), (1...1e6).contains(count) else { return nil }
            return .burst(count.rounded())
        }
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = duration(String(parts[1])), time > .zero else { return nil }
        let rates = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard let from = rates.first.flatMap(number), let to = rates.last.flatMap(number), rates.count <= 2,
            max(from, to) <= Plan.rates.upperBound
        else { return nil }
        return .stretch(from: from, to: to, seconds: time / .seconds(1))
    }

    private static func number(_ text: Substring) -> Double? {
        let digits = text.last == "k" ? text.dropLast() : text
        guard !digits.isEmpty, digits.utf8.count <= 12, digits.allSatisfy({ ("0"..."9").contains($0) || $0 == "." })
        else { return nil }
        return Double(digits).map { text.last == "k" ? $0 * 1000 : $0 }
    }

    /// How long all stages last.
    public var length: Duration { .nanoseconds(Int64(seconds * 1e9)) }

    /// How many requests are due in all, about.
    var count: Double { stages.reduce(0) { $0 + $1.count } }

    /// The highest rate of a stretch.
    var peak: Double { stages.map(\.peak).max() ?? 0 }

    private var seconds: Double { stages.reduce(0) { $0 + $1.seconds } }

    /// The profile as it would be typed.
    var text: String {
        stages.map { stage in
            switch stage {
            case .burst(let count): "+\(Format.short(count))"
            case .stretch(let from, let to, let seconds):
                (from == to ? Format.short(from) : "\(Format.short(from))-\(Format.short(to))")
                    + "@\(Format.short(seconds))s"
            }
        }.joined(separator: ",")
    }

    /// The same profile, all rates and bursts multiplied.
    func scaled(by factor: Double) -> Profile {
        Profile(
            stages: stages.map { stage in
                switch stage {
                case .burst(let count): .burst(count * factor)
                case .stretch(let from, let to, let seconds):
                    .stretch(from: from * factor, to: to * factor, seconds: seconds)
                }
            })
    }

    /// Takes stages as they are.
    init(stages: [Stage]) {
        self.stages = stages
    }
}

extension Profile.Stage {
    /// When, in seconds after the stage's start, so many requests have been due: the inverse of the rate's integral.
    func time(of count: Double) -> Double {
        guard case .stretch(let from, let to, let seconds) = self, count > 0 else { return 0 }
        let slope = (to - from) / seconds
        // The root in the form that loses no digits where the slope is small (or 0).
        return min(seconds, 2 * count / (from + sqrt(max(0, from * from + 2 * slope * count))))
    }
}
