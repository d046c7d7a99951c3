public import HTTP
public import Transport
import Wire

/// In whose name a hook is asked.
struct HookAsker {
    /// The connection; `nil` where there is none yet.
    var connection: String?
    var address: String?
    /// The trace of its request.
    var trace: TraceContext?

    init(address: String?, trace: TraceContext?) {
        self.address = address
        self.trace = trace
    }

    init(_ gate: HookGate) {
        self.init(address: gate.address, trace: gate.trace)
        connection = gate.connection
    }
}

// Asking other servers whether something may be done.
extension Hub {
    /// Hands a recipient's request to its channel: behind those of the same channel that wait, and when its own hook
    /// has answered.
    func pass(_ request: ChannelRequest, from recipient: Recipient) {
        guard hasHooks || recipient.gate != nil else { return ask(request) }
        if let gate = recipient.gate, gate.holds(request.channel) { return gate.hold(request) }
        guard let (hook, question) = hook(for: request) else { return ask(request) }
        if let verdict = verdict(of: hook, on: question) { return ask(request.after(verdict)) }
        let gate = recipient.gate ?? HookGate(recipient)
        recipient.gate = gate
        gate.hold(request)
        consult(hook, question, from: .init(gate)) { [self] verdict in
            answered(verdict, request.channel, gate)
        }
    }

    /// The hook that a request needs, and what it is asked.
    private func hook(for request: ChannelRequest) -> (Hook, HookQuestion)? {
        guard let outbound = settings.namespace(of: request.channel)?.outbound,
            let question = HookQuestion(request)
        else { return nil }
        let hook = question.kind == .subscribe ? outbound.subscribeHook : outbound.reactHook
        return hook.map { ($0, question) }
    }

    /// What is known without asking; `nil`: the server must be asked.
    private func verdict(of hook: Hook, on question: HookQuestion) -> HookVerdict? {
        switch hook.known(question.key, clock: moment.clock) {
        case .cached(let verdict):
            metrics.hooks.count(question.kind, .cached)
            return verdict
        case .down:
            metrics.hooks.count(question.kind, .skipped)
            return hook.whenDown
        case .nothing: return nil
        }
    }

    /// Asks the server; `then` gets what follows, on the loop, possibly before this returns.
    private func consult(
        _ hook: Hook, _ question: HookQuestion, from asker: HookAsker, then: @escaping (HookVerdict) -> Void
    ) {
        let body = question.json(connection: asker.connection, address: asker.address)
        let began = loop.now
        hookClient.post(hook.endpoint.request(body: body, at: now)) { [self] result in
            if case .failure(.busy) = result {
                // That too many ask at once says nothing of the server.
                metrics.hooks.count(question.kind, .skipped)
                return then(hook.whenDown)
            }
            if case .success = result { metrics.hooks.seconds.record(from: began.nanoseconds, to: loop.now) }
            let answer = (try? result.get()).flatMap(HookAnswer.init)
            if answer == nil { tell(result, of: hook, question.kind, asker.trace) }
            let verdict = hook.take(answer, to: question.key, clock: moment.clock)
            metrics.hooks.count(question.kind, answer == nil ? .failed : verdict == .allowed ? .allowed : .denied)
            then(verdict)
        }
    }

    /// Says that the server of a hook is of no use at the moment.
    private func tell(
        _ result: Result<ClientAnswer, ClientError>, of hook: Hook, _ kind: HookKind, _ trace: TraceContext?
    ) {
        let reason =
            switch result {
            case .success(let answer): "its answer, with status \(answer.status), is none (Hooks.md)"
            case .failure(let error): "\(error)"
            }
        let effect = hook.isAllowedWhenDown ? "allowed" : "refused"
        log.say(
            .warning, .hook, trace: trace,
            "the \(kind) hook \(hook.endpoint.url) could not decide, what it was asked is \(effect): \(reason)")
    }

    /// Goes on with a channel's requests, up to the next one that needs an answer.
    private func answered(_ verdict: HookVerdict, _ channel: String, _ gate: HookGate) {
        var known: HookVerdict? = verdict
        while let request = gate.first(of: channel) {
            if known == nil, let (hook, question) = hook(for: request) {
                known = self.verdict(of: hook, on: question)
                if known == nil {
                    consult(hook, question, from: .init(gate)) { [self] verdict in
                        answered(verdict, channel, gate)
                    }
                    break
                }
            }
            gate.removeFirst(of: channel)
            let isRevoked = gate.isRevoked(by: settings.authenticator.revocations)
            ask(request.after(isRevoked ? .denied("your access was revoked") : known ?? .allowed))
            known = nil
        }
        guard let recipient = gate.recipient else { return }
        if gate.isEmpty { recipient.gate = nil }
        if !gate.isFull { recipient.proceed() }
    }

    // MARK: Connecting

    /// Whether a server is asked about each connection; on the loop only.
    public nonisolated var asksBeforeConnecting: Bool { unsafe settingsOnLoop.settings.connectHook != nil }

    /// Asks whether someone may connect; `reply` gets why not, or `nil`.
    ///
    /// Called on the hub's loop; the reply comes there too, possibly before this returns.
    public nonisolated func askToConnect(
        user: String?, from address: SocketAddress, origin: String?, trace: TraceContext? = nil,
        reply: @escaping (RequestRefusal?) -> Void
    ) {
        let question = HookQuestion(user: user, address: address.host, origin: origin)
        enter(with: (question, reply)) { hub, asking in
            let (question, reply) = asking
            guard let hook = hub.settings.connectHook else { return reply(nil) }
            if let verdict = hub.verdict(of: hook, on: question) { return reply(verdict.refusal) }
            hub.consult(hook, question, from: HookAsker(address: address.host, trace: trace)) { reply($0.refusal) }
        }
    }
}

extension HookVerdict {
    /// Why something is refused; `nil`: it is allowed.
    var refusal: RequestRefusal? {
        switch self {
        case .allowed: nil
        case .denied(let reason): RequestRefusal(.forbidden, reason)
        case .unavailable: RequestRefusal(.unavailable, "who decides about this cannot be asked now; try again")
        }
    }
}

extension ChannelRequest {
    /// The same request where it is allowed, else its refusal, which keeps its place among the replies.
    fileprivate func after(_ verdict: HookVerdict) -> ChannelRequest {
        guard let refusal = verdict.refusal else { return self }
        var refused = self
        if case .subscribe = body {
            refused.body = .refusedSubscription(refusal.code, refusal.message)
        } else {
            refused.body = .refused(refusal.code, refusal.message)
        }
        return refused
    }
}
