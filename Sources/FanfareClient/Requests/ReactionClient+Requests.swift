public import Reactions
import Transport
import Wire

/// Where an answer goes.
typealias AnswerContinuation = CheckedContinuation<Result<Answer, ClientError>, Never>

extension ReactionClient {
    /// Adds the user's reaction to a message.
    ///
    /// Safe to repeat: the request carries a key, and is sent again after a reconnect until it is answered or the time-out
    /// has passed.
    ///
    /// - Parameters:
    ///   - reaction: An emoji or a name, in any of its forms.
    ///   - message: The message; `""` for the channel itself.
    ///   - channel: The channel.
    ///   - count: How many, 1–1,000 (policy `multiple` alone); `nil`: one.
    /// - Returns: What happened, with the reaction's count afterwards.
    /// - Throws: ``ClientError``: refused by the broker, no answer in time, or the client is closed.
    public func add(
        _ reaction: String, to message: String, in channel: String, count: Int? = nil
    ) async throws(ClientError) -> Answer {
        try await change(channel, message, .add(reaction: reaction, count: count, data: nil))
    }

    /// Takes the user's reaction away from a message; all of it without a count.
    ///
    /// As safe to repeat as ``add(_:to:in:count:)``.
    ///
    /// - Parameters:
    ///   - reaction: An emoji or a name, in any of its forms.
    ///   - message: The message; `""` for the channel itself.
    ///   - channel: The channel.
    ///   - count: How many, 1–1,000 (policy `multiple` alone); `nil`: all.
    /// - Returns: What happened, with the reaction's count afterwards.
    /// - Throws: ``ClientError``: refused by the broker, no answer in time, or the client is closed.
    public func remove(
        _ reaction: String, from message: String, in channel: String, count: Int? = nil
    ) async throws(ClientError) -> Answer {
        try await change(channel, message, .remove(reaction: reaction, count: count))
    }

    /// Adds the user's reaction where it is absent, takes it away where it is there.
    ///
    /// As safe to repeat as ``add(_:to:in:count:)``.
    ///
    /// - Parameters:
    ///   - reaction: An emoji or a name, in any of its forms.
    ///   - message: The message; `""` for the channel itself.
    ///   - channel: The channel.
    /// - Returns: What happened, with the reaction's count afterwards.
    /// - Throws: ``ClientError``: refused by the broker, no answer in time, or the client is closed.
    public func toggle(
        _ reaction: String, on message: String, in channel: String
    ) async throws(ClientError) -> Answer {
        try await change(channel, message, .toggle(reaction: reaction, count: nil, data: nil))
    }

    private func change(
        _ channel: String, _ message: String, _ action: Operation.Action
    ) async throws(ClientError) -> Answer {
        let body = Request.Body.operation(channel: channel, message: message, action: action, key: newKey())
        let id = outbox.newID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { send(body, as: id, for: $0) }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.giveUp(id) } }
        }
        return try result.get()
    }

    private func send(_ body: Request.Body, as id: UInt64, for waiter: AnswerContinuation) {
        if case .closed(let reason) = machine.state { return waiter.resume(returning: .failure(ClientError(reason))) }
        guard outbox.hasRoom else {
            let text = "\(Outbox<Request.Body, AnswerContinuation>.capacity) requests wait for an answer already"
            return waiter.resume(returning: .failure(ClientError(.tooManyRequests, text)))
        }
        outbox.add(body, as: id, until: now + options.requestTimeout, for: waiter)
        start()
        if isConnected { connection?.send(Request(id: .number(id), body)) }
        arm()
    }

    /// Ends the waiting for an answer that nobody wants any more.
    private func giveUp(_ id: UInt64) {
        outbox.take(id)?.resume(returning: .failure(ClientError(.closed, "the request was cancelled")))
    }

    /// Ends the waiting of those whose time is up.
    func expireRequests() {
        let why = outageDescription ?? "the broker did not answer"
        let text = "\(why) within \(options.requestTimeout.components.seconds) s; whether it took effect is not known"
        for waiter in outbox.takeExpired(at: now) {
            waiter.resume(returning: .failure(ClientError(.timedOut, isConnected ? text : why)))
        }
    }

    /// Sends again all that has no answer; each carries its key, so nothing is done twice.
    func resendRequests() {
        for (id, body) in outbox.inOrder {
            connection?.send(Request(id: .number(id), body))
        }
    }

    /// A key that nobody else has: 128 random bits.
    private func newKey() -> String {
        let bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return String(bits.0, radix: 36) + "-" + String(bits.1, radix: 36)
    }
}
