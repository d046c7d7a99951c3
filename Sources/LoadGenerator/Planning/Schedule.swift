private import Glibc

/// When each request is due, fixed before the run: an open loop, which never waits for an answer.
///
/// A slow broker therefore does not slow the load that it is measured with (Tene's "coordinated omission"), and a latency
/// that begins at the due time contains all the waiting.
///
/// Request `k` is due when the integral of the profile's rate has reached `k` (constant), or the sum of `k` exponentially
/// distributed steps (Poisson): so each is right for ramps and bursts as well.
struct Schedule: Sendable {
    private let arrivals: Plan.Arrivals
    private let stages: [Profile.Stage]
    private let length: Double
    private var generator: SeededGenerator
    /// The integral at which the next request is due.
    private var level = 0.0
    private var index = 0
    /// The integral and the seconds at which the present stage begins.
    private var levelBefore = 0.0
    private var secondsBefore = 0.0
    private var due: Double?

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - arrivals: How the requests are spread.
    ///   - profile: How many a second.
    ///   - seed: What the distances of ``Plan/Arrivals/poisson`` follow from.
    init(_ arrivals: Plan.Arrivals, _ profile: Profile, seed: UInt64) {
        self.arrivals = arrivals
        stages = profile.stages
        length = profile.length / .nanoseconds(1)
        generator = SeededGenerator(seed: seed)
        if arrivals == .poisson { level = step() }
        find()
    }

    /// When the next request is due, in nanoseconds after the start; `nil` when there are no more.
    var nextDue: UInt64? { due.map { UInt64($0) } }

    /// Goes on to the request after the next one.
    mutating func advance() {
        // Whole steps, so that a constant schedule does not drift with the errors of a sum.
        level += arrivals == .constant ? 1 : step()
        find()
    }

    private mutating func find() {
        due = nil
        while index < stages.count {
            let stage = stages[index]
            // What rounding alone leaves of a stage is no request.
            if level < levelBefore + stage.count - 1e-6 {
                let seconds = secondsBefore + stage.time(of: level - levelBefore)
                // A burst at the very end is still part of the run, whatever rounding says.
                due = min(seconds * 1e9, length)
                return
            }
            levelBefore += stage.count
            secondsBefore += stage.seconds
            index += 1
        }
    }

    private mutating func step() -> Double {
        -log(1 - Double.random(in: 0..<1, using: &generator))
    }
}

extension Schedule {
    /// The schedule of a plan.
    init(_ plan: Plan) {
        self.init(plan.arrivals, plan.profile, seed: plan.seed)
    }
}
