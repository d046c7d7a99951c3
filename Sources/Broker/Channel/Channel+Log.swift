import Reactions
import Storage
import Wire

// A channel whose changes go by way of a log that several brokers share. Each of them applies the log to its own ledger;
// the one that appended a batch answers for it.
extension Channel {
    // MARK: What the log says

    /// Takes what the log tells of the channel.
    func heard(_ entry: LogEntry, previous: UInt64, at moment: Moment) {
        guard let position = line?.progress.position, entry.position > position, !hasStopped else { return }
        guard unread == nil, line?.isReading == false else {
            line?.hold(entry, previous: previous)
            return
        }
        guard previous == position else {
            line?.hold(entry, previous: previous)
            // Where one is before it that is older than what is known, the log has lost that.
            if previous < position { line?.mustReadAll = true }
            line?.mustRead(at: moment.clock)
            return
        }
        apply(ParsedEntry(entry), at: moment)
        applyEarly(at: moment)
        drain(at: moment)
    }

    /// Takes what another broker says of its subscribers.
    func heard(said bytes: [UInt8], at moment: Moment) {
        if let notice = SharedOccupancy.Notice(bytes: bytes) {
            outbox.hear(notice, at: moment)
        } else if let notice = LogDoubt.Notice(bytes: bytes) {
            compare(notice.mark, by: notice.writer, at: moment)
        }
    }

    private func applyEarly(at moment: Moment) {
        for entry in line?.takeEarly() ?? [] where !hasStopped { apply(ParsedEntry(entry), at: moment) }
        guard let line, !line.early.isEmpty else { return }
        if line.early.contains(where: { $0.previous < line.progress.position }) { self.line?.mustReadAll = true }
        self.line?.mustRead(at: moment.clock)
    }

    /// Takes what was read of the log; says what is wrong with it.
    func read(_ result: Result<LogReading, StoreError>, at moment: Moment) -> String? {
        line?.isReading = false
        if hasStopped { return nil }
        let reading: LogReading
        do throws(StoreError) { reading = try result.get() } catch {
            readFailed(at: moment)
            return error.reason
        }
        // What it said to have taken, and does not have, it may have lost: it is sent again.
        if let position = line?.inFlight?.position, position > reading.last?.position ?? 0 {
            line?.inFlight?.position = nil
        }
        let isLoading = unread != nil
        let entries = reading.entries.map(ParsedEntry.init)
        switch reading.kind {
        case .more: line?.timesLess = 0
        case .less:
            let times = (line?.timesLess ?? 0) + 1
            line?.timesLess = times
            // Once, it may be one who answers that is behind.
            if times > 1 { line?.mustReadAll = true }
            readFailed(at: moment)
            return "the log ends before what it has told"
        case .whole:
            guard let known = ChannelSnapshot(of: reading.snapshot) else {
                readFailed(at: moment)
                return "a snapshot of the channel is not one of this version's"
            }
            let review = review(entries, from: known.progress)
            if review.hasGap { return foundGap(at: moment) }
            line?.fault = nil
            if isLoading { line?.isMarkDue = review.isContradicted }
            if !goesOn(from: known.progress, in: entries, at: moment) {
                noteLost(behind: known.progress, in: entries)
                begin(with: known, at: moment)
            }
        }
        for entry in entries where !hasStopped && entry.position > line?.progress.position ?? .max {
            apply(entry, isReplay: isLoading, compares: reading.kind == .more, at: moment)
        }
        if reading.kind == .more { compare(with: reading.last, at: moment) }
        applyEarly(at: moment)
        if let requests = unread {
            unread = nil
            line?.unreadBytes = 0
            for request in requests { handleLogged(request, at: moment) }
        }
        drain(at: moment)
        answerWhoeverIsAhead(at: moment)
        drain(at: moment)
        return nil
    }

    func readFailed(_ delay: Int64 = LogLine.resendDelay, at moment: Moment) {
        guard unread == nil else { return loaded(nil, group: 0, at: moment) }
        line?.readAt = moment.clock + delay
        if case .request(let request) = line?.queue.first, line?.isHeldBack == true {
            answerHeldBack(with: tooEarly(request), at: moment)
        }
        drain(at: moment)
    }

    /// Answers the one whose author had seen more, and who has seen what there never was.
    private func answerWhoeverIsAhead(at moment: Moment) {
        // A read that was begun before it came says nothing.
        guard case .request(let request) = line?.queue.first, line?.isHeldBack == true, line?.readAt == nil else {
            return
        }
        answerHeldBack(with: answer(to: request, at: moment), at: moment)
    }

    private func answerHeldBack(with reply: Reply, at moment: Moment) {
        line?.isHeldBack = false
        line?.queue.removeFirst()
        outbox.emit(reply, at: moment)
    }

    func tooEarly(_ request: ChannelRequest) -> Reply {
        refusal(of: request, .unavailable, "this broker has not heard of all that you have seen yet; try again")
    }

    /// The answer to an append: where it stands, or why it does not.
    func appended(_ number: UInt64, _ result: Result<UInt64, AppendFailure>, at moment: Moment) {
        guard let batch = line?.inFlight, batch.number == number, batch.position == nil else { return }
        switch result {
        case .success(let position):
            line?.inFlight?.position = position
            line?.wait(LogLine.returnDelay, from: moment.clock)
            if position <= line?.progress.position ?? 0 { passedBy(at: moment) }
        case .failure(.refused(let reason)):
            line?.inFlight?.refusal = reason
            line?.wait(LogLine.refusalDelay, from: moment.clock)
        case .failure(.undecided): line?.inFlight?.refusal = nil
        }
    }

    /// What is to be asked of the log; `number` is for a batch that begins, where one does.
    func takeLogWork(number: UInt64, at moment: Moment) -> LogWork {
        var work = LogWork()
        work.hasReturned = line?.hasReturned ?? false
        work.fault = line?.fault
        if work.hasReturned { line?.hasReturned = false }
        work.lost = line?.lost
        if work.lost != nil { line?.lost = nil }
        retry(&work, number: number, at: moment)
        if line?.inFlight == nil, unread == nil {
            let entries = nextEntries(at: moment)
            if !entries.isEmpty { work.append = send(entries, number: number, at: moment) }
        }
        if let line, !line.isReading, unread == nil, let readAt = line.readAt, readAt <= moment.clock {
            self.line?.readAt = nil
            self.line?.isReading = true
            work.read = line.mustReadAll ? .all : .after(line.progress.position)
        }
        if let notice = outbox.takeNotice(at: moment) { work.say.append(notice.bytes) }
        if let mark = takeMark() { work.say.append(mark) }
        if let doubt = takeDoubt() {
            work.say.append(doubt)
            work.isInDoubt = true
        }
        if let line, line.isSnapshotDue {
            self.line?.isSnapshotDue = false
            work.snapshot = (line.progress.position, snapshot(at: moment))
        }
        return work
    }

    /// The operations that go into the next batch: none behind someone who may have to be held back, nor behind one whose
    /// key shows first what it is, and no more than the log takes at once.
    private func nextEntries(at moment: Moment) -> [LogBatch.Entry] {
        guard let line, !line.queue.isEmpty else { return [] }
        let room = line.maxBatchBytes - LogBatch.headBytes(namespace.rules)
        refuseTooLarge(room, at: moment)
        var entries: [LogBatch.Entry] = []
        var left = room
        for item in self.line?.queue.waiting ?? [] {
            switch item {
            case .operation(_, let operation, let at):
                let entry = LogBatch.Entry(at: at, operation)
                left -= entry.maxBytes
                if left < 0 { return entries }
                entries.append(entry)
            case .again: return entries
            case .request(let request): if isAhead(request) { return entries }
            case .reply: break
            }
            if entries.count == LogLine.maxOperations { return entries }
        }
        return entries
    }

    /// Refuses operations at the front that no batch has room for.
    private func refuseTooLarge(_ room: Int, at moment: Moment) {
        while case .operation(let request, let operation, let at) = line?.queue.first,
            LogBatch.Entry(at: at, operation).maxBytes > room
        {
            let reply = refusal(of: request, .badRequest, "larger than what the brokers' log takes")
            line?.queue.replaceFirst(with: .reply(reply))
            drain(at: moment)
        }
    }

    private func send(
        _ entries: [LogBatch.Entry], number: UInt64, at moment: Moment
    ) -> (number: UInt64, bytes: [UInt8], operations: Int)? {
        guard let line else { return nil }
        let bytes = LogBatch(
            writer: line.writer, number: number, seen: line.progress.chain.newest, rules: namespace.rules,
            entries: entries
        ).bytes
        self.line?.inFlight = LogLine.InFlight(
            number: number, bytes: bytes, operations: entries.count, patience: LogLine.patience,
            wait: LogLine.resendDelay, retryAt: moment.clock + LogLine.resendDelay, sentAt: moment)
        return (number, bytes, entries.count)
    }

    /// The batch on its way stands where another one was: the log has lost that.
    private func passedBy(at moment: Moment) {
        line?.mustReadAll = true
        line?.mustRead(at: moment.clock)
        // Should the log have lost this one as well, it is sent again.
        line?.inFlight?.position = nil
        line?.inFlight?.wasPassedBy = true
    }

    /// Sends the batch on its way again where its time has come, or gives it up.
    private func retry(_ work: inout LogWork, number: UInt64, at moment: Moment) {
        guard let batch = line?.inFlight, batch.retryAt <= moment.clock else { return }
        line?.wait(LogLine.resendDelay, from: moment.clock)
        // Counted by tries, not by the clock: a broker that was stopped for a while has what came meanwhile before it.
        let patience = batch.isOutlived(at: moment) ? 0 : batch.patience - batch.wait
        line?.inFlight?.patience = patience
        if patience <= 0 || batch.operations == 0 { work.trouble = batch.trouble }
        if patience > 0 || batch.operations == 0 {
            guard let position = batch.position else {
                work.append = (batch.number, batch.bytes, batch.operations)
                return
            }
            // It stands there, so it is only late.
            line?.mustRead(at: moment.clock)
            if position <= line?.progress.position ?? 0 { passedBy(at: moment) }
        } else {
            work.hasGivenUp = true
            refuseOperations(at: moment)
            // An empty batch with a higher number: what was given up cannot come after it.
            work.append = send([], number: number, at: moment)
        }
    }

    /// Refuses the operations of the batch on its way, and those that were to go with the next one: they never left.
    func refuseOperations(at moment: Moment) {
        line?.inFlight = nil
        line?.queue.answerOperations { refusal(of: $0, .unavailable, LogLine.unavailable) }
        drain(at: moment)
    }

    // MARK: Applying

    /// Takes the first operation that waits; what is ahead of it is answered.
    private func takeOperation(at moment: Moment) -> (request: ChannelRequest, operation: Operation)? {
        drain(at: moment)
        guard case .operation(let request, let operation, _) = line?.queue.first else { return nil }
        line?.queue.removeFirst()
        return (request, operation)
    }

    private func apply(_ entry: ParsedEntry, isReplay: Bool = false, compares: Bool = true, at moment: Moment) {
        guard let batch = entry.batch else {
            if entry.isOfLaterVersion { return stopAtLaterVersion(at: moment) }
            line?.progress.skip(to: entry.position)
            return
        }
        guard line?.progress.advance(to: batch, as: entry.bytes, at: entry.position) ?? false else { return }
        if compares { compare(batch.seen, by: batch.writer, at: moment) }
        let isOwn = batch.writer == line?.writer && batch.number == line?.inFlight?.number
        if isOwn {
            line?.inFlight = nil
            line?.hasReturned = true
            if !batch.entries.isEmpty { line?.acked.note(batch, at: entry.position, clock: moment.clock) }
        }
        for entry in batch.entries {
            guard let time = line?.progress.time(of: entry) else { return }
            ledger.forgetKeys(before: time - Channel.keyLifetime)
            let own = isOwn ? takeOperation(at: moment)?.request : nil
            apply(
                entry.operation, for: own, by: batch.rules, isReplay: isReplay, Moment(unix: time, clock: moment.clock))
        }
        if isReplay { _ = outbox.sealedHistory(at: Moment(unix: line?.progress.time ?? 0, clock: moment.clock)) }
        let isRound = (line?.progress.count ?? 1) % LogLine.snapshotEvery == 0
        if isRound, isOwn { line?.isSnapshotDue = true }
    }

    /// Does one operation of the log; `own` is whose it is, where that one asked here.
    private func apply(
        _ operation: Operation, for own: ChannelRequest?, by rules: Rules, isReplay: Bool, _ moment: Moment
    ) {
        let request =
            own ?? ChannelRequest(channel: name, origin: .elsewhere(operation.user), body: .operation(operation))
        do throws(Refusal) {
            let plan = try Channel.judge(operation, by: &ledger, rules, at: moment)
            var (reply, outcome) = commit(plan, operation, for: request)
            // What was acked before anyone here listened is no part of a burst to come.
            if isReplay { reply.burst = nil }
            guard own != nil else { return outbox.announce(reply, at: moment) }
            outbox.emit(reply, at: moment)
            note(reply.changes, of: operation, outcome, at: moment)
        } catch {
            guard own != nil else { return }
            let words = error.words(on: operation.named, by: rules)
            outbox.emit(refusal(of: request, ErrorCode(error), words), at: moment)
        }
    }

    /// Goes on from what the channel is in the log, where it is not known how it has become that.
    private func begin(with known: ChannelSnapshot, at moment: Moment) {
        ledger = Ledger(known.image)
        let history = known.history(for: namespace)
        if unread == nil {
            outbox.restart(at: ledger.seq, history, at: moment)
        } else {
            outbox.begin(at: ledger.seq, history)
        }
        wentOn(to: known.progress, at: moment)
    }

    /// What makes a snapshot of the channel as it is now; it takes its time on another thread.
    private func snapshot(at moment: Moment) -> @Sendable () -> [UInt8] {
        var history = outbox.sealedHistory(at: moment)
        let (ledger, progress, isAnonymous) = (ledger, line?.progress ?? LogProgress(), namespace.isAnonymous)
        let events = history.batches(at: moment.unix)
        return {
            ChannelSnapshot(progress: progress, image: ledger.image, events: events, isAnonymous: isAnonymous).bytes
        }
    }
}

extension LogLine {
    /// What is wrong with a log that refuses changes for a reason.
    static func refused(_ reason: String) -> String { "the log refuses changes: \(reason)" }

    /// What a person is told whose change the log did not take, or did not tell in time.
    static let unavailable = "the log does not tell it in time, and it may count yet; a retry with the same key is safe"
}

extension LogLine.InFlight {
    /// Whether it was sent so long ago that it is not sent again; a machine that sleeps stops one of its clocks.
    fileprivate func isOutlived(at moment: Moment) -> Bool {
        max(moment.unix &- sentAt.unix, moment.clock &- sentAt.clock) > LogLine.outlived
    }

    /// What it says of the log that it has not come back for too long, for a person; `nil`: nothing.
    fileprivate var trouble: String? {
        if wasPassedBy { return nil }
        if position != nil { return "the log took changes that do not come back" }
        return refusal.map(LogLine.refused) ?? "changes do not get into the log"
    }
}

extension Origin {
    /// Someone who asked another broker.
    static func elsewhere(_ user: String) -> Origin {
        Origin(
            connection: ConnectionKey(hub: 0, slot: .max, generation: .max), user: user, id: nil, wantsReply: false)
    }
}
