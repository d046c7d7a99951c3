import Transport

/// An actor that lives on one loop.
protocol LoopActor: Actor {
    nonisolated var loop: EventLoop { get }
}

extension LoopActor {
    /// Enters the actor from a callback on its own loop, and stops the program anywhere else.
    ///
    /// It is what `assumeIsolated` does, whose questions to the runtime and closures on the heap cost as much as many a
    /// request.
    @inline(__always)
    nonisolated func onLoop<Result>(_ body: (isolated Self) -> Result) -> Result {
        precondition(loop.isCurrent, "not on the actor's loop")
        let inside = Inside<Self, Result> { $1($0) }
        // The two types differ in what the compiler checks alone, and that was checked just now.
        return unsafe unsafeBitCast(inside, to: Outside<Self, Result>.self).run(self, body)
    }
}

/// Runs what is isolated to an actor from within the actor.
private struct Inside<Entered: Actor, Result> {
    let run: (isolated Entered, (isolated Entered) -> Result) -> Result
}

/// The same from without.
private struct Outside<Entered: Actor, Result> {
    let run: (Entered, (isolated Entered) -> Result) -> Result
}
