private import Glibc

/// What happens at certain times of a run, beside the publishing.
struct Agenda {
    /// Something that happens again and again.
    struct Item {
        var schedule: Schedule
        var count = 0
        /// Is given how often it happened before.
        let action: (Int) -> Void
    }

    private var items: [Item] = []

    /// When the next thing is due, in nanoseconds after the start.
    var nextDue: UInt64? { items.compactMap(\.schedule.nextDue).min() }

    /// Adds something that happens so often a second.
    mutating func add(
        rate: Double, for duration: Duration, _ arrivals: Plan.Arrivals, seed: UInt64, _ action: @escaping (Int) -> Void
    ) {
        items.append(
            Item(schedule: Schedule(arrivals, Profile(rate: rate, for: duration), seed: seed), action: action))
    }

    /// Adds something that happens once.
    mutating func add(after delay: Duration, _ action: @escaping () -> Void) {
        // One request, due when the pause before it is over.
        let once = Profile(pause: delay)
        items.append(Item(schedule: Schedule(.constant, once, seed: 0)) { _ in action() })
    }

    /// Does all that is due.
    mutating func act(_ elapsed: UInt64) {
        for index in items.indices {
            while let due = items[index].schedule.nextDue, due <= elapsed {
                items[index].action(items[index].count)
                items[index].count += 1
                items[index].schedule.advance()
            }
        }
    }
}

extension Profile {
    /// Nothing for a while, then one.
    fileprivate init(pause: Duration) {
        self.init(stages: [.stretch(from: 0, to: 0, seconds: pause / .seconds(1)), .burst(1)])
    }
}

/// Stops a process and lets it go on.
enum ProcessPause {
    static func stop(_ process: Int) { kill(pid_t(process), SIGSTOP) }
    static func goOn(_ process: Int) { kill(pid_t(process), SIGCONT) }
}
