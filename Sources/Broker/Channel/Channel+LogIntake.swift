import Reactions
import Wire

// What is asked of a channel that lives in a log which several brokers share, until it goes there or is answered.
extension Channel {
    /// Takes a request in: an operation for the next batch, everything else for when what came before it is applied.
    func handleLogged(_ request: ChannelRequest, at moment: Moment) {
        let item = item(for: request, at: moment)
        line?.queue.append(item)
        drain(at: moment)
    }

    /// Keeps a request until the channel is read; one too many is refused in its place.
    func holdUnread(_ request: ChannelRequest) {
        var request = request
        if let line, !request.body.isNeverRefused {
            if line.unreadBytes >= line.maxWaitingBytes {
                outbox.countOverflow(.waitingBytes)
                request.refuse(.unavailable, Channel.tooMuchWaits)
            } else {
                self.line?.unreadBytes += request.weight
            }
        }
        unread?.append(request)
    }

    private func item(for request: ChannelRequest, at moment: Moment) -> LogQueue.Item {
        if let line, !request.body.isNeverRefused {
            if line.queue.count >= maxWaiting { return .reply(overflow(of: request)) }
            if line.queue.bytes >= line.maxWaitingBytes {
                outbox.countOverflow(.waitingBytes)
                return .reply(refusal(of: request, .unavailable, Channel.tooMuchWaits))
            }
        }
        guard case .operation(let operation) = request.body else { return .request(request) }
        return item(for: operation, of: request, at: moment)
    }

    /// Judges what can be judged of an operation while it is not known what comes ahead of it.
    ///
    /// That never goes into the log. All that does takes a token.
    private func item(for operation: Operation, of request: ChannelRequest, at moment: Moment) -> LogQueue.Item {
        let now = max(moment.unix, line?.progress.time ?? 0)
        do throws(Refusal) {
            if let plan = try Channel.recall(operation, by: &ledger, namespace.rules, at: now) {
                return .reply(commit(plan, operation, for: request).0)
            }
            if line?.queue.hasKey(of: operation) ?? false { return .again(request, operation) }
            try namespace.rules.checkReactions(of: operation)
        } catch {
            return .reply(refusal(of: request, ErrorCode(error), error.words(on: operation.named, by: namespace.rules)))
        }
        if line?.isDown ?? false {
            return .reply(refusal(of: request, .unavailable, LogLine.unavailable))
        }
        if hasStopped {
            return .reply(refusal(of: request, .unavailable, LogFault.laterVersion.rawValue + "; nothing was changed"))
        }
        if let fault = line?.clock?.fault(at: moment) {
            return .reply(refusal(of: request, .unavailable, fault + "; nothing was changed"))
        }
        if let wait = limiter.take(for: request.origin.asker, at: moment.clock) {
            return .reply(refusal(of: request, operation, tooFastFor: wait, at: now))
        }
        return .operation(request, operation.forLog(by: namespace.rules), at: moment.unix)
    }

    /// Refuses what has no token, for what the ledger says where nothing can come ahead of it, else for that.
    private func refusal(
        of request: ChannelRequest, _ operation: Operation, tooFastFor wait: Int64, at now: Int64
    ) -> Reply {
        if let line, line.queue.isEmpty, line.inFlight == nil {
            do throws(Refusal) {
                _ = try Channel.judge(operation, by: &ledger, namespace.rules, at: Moment(unix: now, clock: 0))
            } catch {
                return refusal(of: request, ErrorCode(error), error.words(on: operation.named, by: namespace.rules))
            }
        }
        let words = "too fast; wait as long as this says"
        return refusal(of: request, .rateLimited, words, retryAfterMilliseconds: wait)
    }

    // As `inout`: see `judge`.
    private static func recall(
        _ operation: Operation, by ledger: inout Ledger, _ rules: Rules, at now: Int64
    ) throws(Refusal) -> Plan? {
        try ledger.recall(operation, rules: rules, at: now)
    }

    /// Answers what waits for no operation any more, up to one whose author has seen more than this broker.
    func drain(at moment: Moment) {
        while let item = line?.queue.first {
            switch item {
            case .operation: return
            case .again(let request, let operation):
                // The one with its key is done, so this is something else now.
                let item = self.item(for: operation, of: request, at: moment)
                line?.queue.replaceFirst(with: item)
                continue
            case .reply(let reply): outbox.emit(reply, at: moment)
            case .request(let request):
                if isAhead(request), hasStopped {
                    outbox.emit(tooEarly(request), at: moment)
                } else if isAhead(request) {
                    if line?.isHeldBack == false { line?.mustRead(at: moment.clock) }
                    line?.isHeldBack = true
                    return
                } else {
                    line?.isHeldBack = false
                    outbox.emit(answer(to: request, at: moment), at: moment)
                }
            }
            line?.queue.removeFirst()
        }
    }

    /// Whether its author has seen changes by way of another broker that have not come here yet.
    func isAhead(_ request: ChannelRequest) -> Bool {
        guard case .subscribe(let subscribe) = request.body, let since = subscribe.since else { return false }
        return since.epoch == epoch && since.seq > ledger.seq
    }

    private static let tooMuchWaits = "too much waits for this channel"
}

extension ChannelRequest {
    /// Makes it a refusal that keeps its place.
    fileprivate mutating func refuse(_ code: ErrorCode, _ words: String) {
        switch body {
        case .subscribe, .refusedSubscription: body = .refusedSubscription(code, words)
        default: body = .refused(code, words)
        }
    }
}
