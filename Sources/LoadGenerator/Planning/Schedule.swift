private import Glibc

/// When each request is due, fixed before the run: an open loop, which never waits for an answer.
///
/// A slow broker therefore does not slow the load that it is measured with (Tene's "coordinated omission"), and a latency
/// that begins at the due time contains all the waiting.
struct Schedule: Sendable {
    /// How the requests are spread.
    enum Arrivals: String, Sendable {
        /// At equal distances.
        case constant
        /// As those of many independent people: the distances are exponentially distributed.
        case poisson
    }

    private let arrivals: Arrivals
    private let interval: Double
    private let length: Double
    private var generator: SeededGenerator
    private var due = 0.0
    private var count: UInt64 = 0

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - arrivals: How the requests are spread.
    ///   - rate: Requests a second, above 0.
    ///   - duration: How long they go on.
    ///   - seed: What the distances of ``Arrivals/poisson`` follow from.
    init(_ arrivals: Arrivals, rate: Double, duration: Duration, seed: UInt64) {
        self.arrivals = arrivals
        interval = 1e9 / rate
        length = duration / .nanoseconds(1)
        generator = SeededGenerator(seed: seed)
        if arrivals == .poisson { due = distance() }
    }

    /// When the next request is due, in nanoseconds after the start; `nil` when there are no more.
    var nextDue: UInt64? {
        due < length ? UInt64(due) : nil
    }

    /// Goes on to the request after the next one.
    mutating func advance() {
        count += 1
        // A product, so that a constant schedule does not drift with the errors of a sum.
        due = arrivals == .constant ? Double(count) * interval : due + distance()
    }

    private mutating func distance() -> Double {
        -log(1 - Double.random(in: 0..<1, using: &generator)) * interval
    }
}

extension Schedule {
    /// The schedule of a plan.
    init(_ plan: Plan) {
        self.init(plan.isPoisson ? .poisson : .constant, rate: plan.rate, duration: plan.duration, seed: plan.seed)
    }
}
