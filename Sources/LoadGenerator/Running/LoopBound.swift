internal import Transport

/// A value that lives on one loop: others may only send it closures.
final class LoopBound<Value>: @unchecked Sendable {
    // @unchecked: `value` is handed over by its maker (`sending`) and then used on the loop's thread alone.
    private let loop: EventLoop
    private let value: Value

    /// Hands a value over to a loop.
    init(_ value: sending Value, on loop: EventLoop) {
        self.loop = loop
        self.value = value
    }

    /// Runs a closure with the value on the loop, soon.
    func run(_ body: @escaping @Sendable (Value) -> Void) {
        loop.execute { body(self.value) }
    }

    /// Runs a closure with the value at once; on the loop only.
    func onLoop<Result>(_ body: (Value) -> Result) -> Result {
        loop.preconditionCurrent()
        return body(value)
    }

    /// Makes something that runs a closure with the value on the loop when it is posted to, once for all posts that the loop has not
    /// seen yet.
    func nudge(_ body: @escaping @Sendable (Value) -> Void) -> Mailbox<Void> {
        Mailbox(on: loop) { _ in body(self.value) }
    }
}
