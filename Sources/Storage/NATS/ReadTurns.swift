import Locks

/// Lets so many channels be read at a time, and the others wait for their turn.
///
/// Each read asks the servers several times, one after the other, and each answer has to come in time. Where a broker
/// begins to which very many channels come at once, all would wait behind all others at each step, and none would be done.
final class ReadTurns: Sendable {
    /// How many are read at a time.
    static let atOnce = 128

    private struct Waiting {
        private var bodies: [(@Sendable () -> Void)?] = []
        private var start = 0

        var isEmpty: Bool { start == bodies.count }

        mutating func append(_ body: @escaping @Sendable () -> Void) {
            bodies.append(body)
        }

        mutating func takeFirst() -> (@Sendable () -> Void)? {
            guard !isEmpty else { return nil }
            // What it holds is let go of once it was done, not when the queue gets shorter.
            let body = bodies[start].take()
            start += 1
            if start >= 64, start * 2 >= bodies.count {
                bodies.removeFirst(start)
                start = 0
            }
            return body
        }
    }

    private struct State {
        var underWay = 0
        /// Those of channels that are known, and of those that come into memory.
        var known = Waiting()
        var new = Waiting()
        var isNewNext = false
        /// Whether a thread lets them begin, one after the other; a read may be done before it has begun to wait.
        var isLettingBegin = false

        /// The next one that may begin: of either kind in turn.
        mutating func takeNext() -> (@Sendable () -> Void)? {
            guard underWay < ReadTurns.atOnce else { return nil }
            isNewNext.toggle()
            let first = isNewNext ? new.takeFirst() : known.takeFirst()
            guard let next = first ?? (isNewNext ? known.takeFirst() : new.takeFirst()) else { return nil }
            underWay += 1
            return next
        }
    }

    private let state = Locked(State())

    /// Begins to read when it is its turn; each that begins has to say when it is done, by ``done()``.
    ///
    /// - Parameters:
    ///   - isNew: whether the channel comes into memory.
    ///   - body: begins.
    func take(isNew: Bool, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if isNew { state.new.append(body) } else { state.known.append(body) }
        }
        letBegin()
    }

    /// Notes that one is done, and lets another one begin.
    func done() {
        state.withLock { $0.underWay -= 1 }
        letBegin()
    }

    private func letBegin() {
        let isFirst = state.withLock { state in
            defer { state.isLettingBegin = true }
            return !state.isLettingBegin
        }
        guard isFirst else { return }
        while let next = takeNext() { next() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let next = state.takeNext()
            state.isLettingBegin = next != nil
            return next
        }
    }
}
