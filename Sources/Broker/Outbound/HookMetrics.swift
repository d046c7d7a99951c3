import Transport

/// What became of the questions for hooks.
struct HookMetrics: Sendable {
    /// What became of one question.
    enum Result: String, Sendable, CaseIterable {
        /// The server said yes.
        case allowed
        /// The server said no.
        case denied
        /// The server was asked and gave no usable answer.
        case failed
        /// An answer from before was taken.
        case cached
        /// The server counts as down and was not asked.
        case skipped
    }

    private var numbers: [HookKind: [Result: UInt64]] = [:]
    /// How long the servers took to answer, in nanoseconds, from 1 ms on.
    var seconds = LogHistogram(upTo: 20)

    /// How often questions of a kind had a result.
    subscript(kind: HookKind, result: Result) -> UInt64 { numbers[kind]?[result] ?? 0 }

    mutating func count(_ kind: HookKind, _ result: Result) {
        numbers[kind, default: [:]][result, default: 0] += 1
    }

    static func += (sum: inout HookMetrics, more: HookMetrics) {
        for (kind, results) in more.numbers { sum.numbers[kind, default: [:]].merge(results) { $0 + $1 } }
        sum.seconds += more.seconds
    }
}
