import Locks
public import Reactions
import Wire

/// Where the reply to a request goes.
typealias ReplyContinuation = CheckedContinuation<Result<BrokerMessage, ClientError>, Never>

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
    ///   - data: A JSON object that is kept with the reaction, at most 1,024 bytes.
    /// - Returns: What happened, with the reaction's count afterwards.
    /// - Throws: ``ClientError``: refused by the broker, no answer in time, or the client is closed.
    public func add(
        _ reaction: String, to message: String, in channel: String, count: Int? = nil, data: ReactionData? = nil
    ) async throws(ClientError) -> Answer {
        try await change(channel, message, .add(reaction: reaction, count: count, data: data))
    }

    /// Takes the user's reaction away from a message; all of it without a count.
    ///
    /// As safe to repeat as ``add(_:to:in:count:data:)``.
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
    /// As safe to repeat as ``add(_:to:in:count:data:)``.
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

    /// Makes the user's reactions on a message exactly these (policies `unique` and `distinct`).
    ///
    /// As safe to repeat as ``add(_:to:in:count:data:)``.
    ///
    /// - Parameters:
    ///   - reactions: Emoji or names, in any of their forms; one named twice counts once.
    ///   - message: The message; `""` for the channel itself.
    ///   - channel: The channel.
    /// - Returns: What happened, with what the user has afterwards.
    /// - Throws: ``ClientError``: refused by the broker, no answer in time, or the client is closed.
    public func set(
        _ reactions: [String], on message: String, in channel: String
    ) async throws(ClientError) -> Answer {
        try await change(channel, message, .set(reactions: reactions))
    }

    private func change(
        _ channel: String, _ message: String, _ action: Operation.Action
    ) async throws(ClientError) -> Answer {
        let key = Self.newKey()
        let reply = try await request(.operation(channel: channel, message: message, action: action, key: key))
        guard case .ack(_, channel, let answer, _, _) = reply, answer.message == message else { throw Self.misread }
        return answer
    }

    /// An answer that is none to what was asked.
    static var misread: ClientError { ClientError(.misread, "the broker gave an answer to something else") }

    /// Sends a request and waits for its reply, reconnects included.
    func request(_ body: Request.Body) async throws(ClientError) -> BrokerMessage {
        let id = outbox.newID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { send(body, as: id, for: $0) }
        } onCancel: {
            onLoop { $0.giveUp(id) }
        }
        return try result.get()
    }

    private func send(_ body: Request.Body, as id: UInt64, for waiter: ReplyContinuation) {
        if case .closed(let reason) = machine.state { return waiter.resume(returning: .failure(ClientError(reason))) }
        guard outbox.hasRoom else {
            let text = "\(Outbox<Request.Body, ReplyContinuation>.capacity) requests wait for an answer already"
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
        var error = ClientError(.timedOut, isConnected ? text : why)
        if let loss = machine.lastLoss, loss.mayPass { error.code = .unavailable }
        for waiter in outbox.takeExpired(at: now) { waiter.resume(returning: .failure(error)) }
    }

    /// Sends again all that has no answer; each carries its key, so nothing is done twice.
    func resendRequests() {
        for (id, body) in outbox.inOrder {
            connection?.send(Request(id: .number(id), body))
        }
    }

    /// A key that nobody else has: 128 random bits.
    static func newKey() -> String {
        let bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return String(bits.0, radix: 36) + "-" + String(bits.1, radix: 36)
    }
}
