import Reactions
import Storage

// A cluster of log servers that has lost something, or whose replicas differ, may have told one broker something else than
// another. Each batch says what its writer had applied, so that they find out; then the log's leader is right.
extension Channel {
    /// Compares what this channel was made from with what another broker's was.
    func compare(_ mark: LogMark, by writer: UInt64, at moment: Moment) {
        // What this broker said before it read all says nothing of what it is now.
        guard let line, writer != line.writer else { return }
        if let own = line.progress.contradiction(of: mark) {
            doubtAll(from: own, at: moment)
        } else if mark == line.progress.mark {
            self.line?.isMarkKnown = true
        }
    }

    /// Something may have been missed, at a time in milliseconds of the clock: it is looked at, and the other brokers are
    /// told what this one has come to, unless one has told the same since the last time.
    func doubt(at clock: Int64) {
        line?.look(at: clock)
    }

    /// What this broker has come to, where the others are to be told; `nil`: they are not.
    func takeMark() -> [UInt8]? {
        guard let line, line.isMarkDue, unread == nil, line.fault == nil else { return nil }
        self.line?.isMarkDue = false
        return LogDoubt.Notice(writer: line.writer, mark: line.progress.mark).bytes
    }

    /// What the entries say of themselves that were read behind what is known, up to one of a later version.
    func review(_ entries: [ParsedEntry], from start: LogProgress) -> LogReview {
        var review = LogReview(from: start)
        for entry in entries {
            if entry.isOfLaterVersion { break }
            review.pass(entry.batch, as: entry.bytes, at: entry.position)
        }
        return review
    }

    /// Goes no further, since a change of a later version comes next: what it does to those behind it is not known here.
    func stopAtLaterVersion(at moment: Moment) {
        line?.fault = .laterVersion
        line?.readAt = nil
        line?.early = []
        line?.isHeldBack = false
        refuseOperations(at: moment)
    }

    /// What was read does not go together: nothing of it is taken.
    func foundGap(at moment: Moment) -> String {
        line?.fault = .gap
        readFailed(LogLine.gapDelay, at: moment)
        return LogFault.gap.rawValue
    }

    /// Compares what this channel was made from with the last entry that there is.
    func compare(with last: LogEntry?, at moment: Moment) {
        guard let last, let own = line?.progress.chain.contradiction(of: last.bytes, at: last.position) else { return }
        doubtAll(from: own, at: moment)
    }

    /// Has all of the log read.
    private func doubtAll(from mark: LogMark, at moment: Moment) {
        guard let readAt = line?.doubt.arise(from: mark, at: moment.clock) else { return }
        line?.mustReadAll = true
        line?.mustRead(at: readAt)
    }

    /// What is to be said where there is doubt; `nil`: nothing.
    func takeDoubt() -> [UInt8]? {
        guard let mark = line?.doubt.takeUntold(), let line else { return nil }
        return LogDoubt.Notice(writer: line.writer, mark: mark).bytes
    }

    /// Goes on in all that was read where the channel is what that comes to somewhere; `false` where it is something else.
    ///
    /// So nobody who listens hears of a doubt that another broker has to mend.
    func goesOn(from start: LogProgress, in entries: [ParsedEntry], at moment: Moment) -> Bool {
        guard unread == nil, let digest = line?.progress.chain.newest.digest else { return false }
        var progress = start
        var rest = entries[...]
        while progress.chain.newest.digest != digest {
            guard let entry = rest.popFirst() else { return false }
            progress.pass(entry.batch, as: entry.bytes, at: entry.position)
        }
        wentOn(to: progress, at: moment)
        return true
    }

    /// Notes how much of what this broker has answered for the log does not have any more: all that was read takes the place
    /// of what is known.
    func noteLost(behind start: LogProgress, in entries: [ParsedEntry]) {
        guard let writer = line?.writer else { return }
        let there = Set(entries.lazy.compactMap(\.batch).filter { $0.writer == writer }.map(\.number))
        let loss = line?.acked.takeLost(behind: start, there: there, of: writer)
        if let loss, loss.batches > 0 { line?.lost = loss }
    }

    /// Notes that all of the log up to somewhere is known.
    func wentOn(to progress: LogProgress, at moment: Moment) {
        line?.progress = progress
        line?.mustReadAll = false
        line?.timesLess = 0
        // Its outcome is among what was not seen.
        if let batch = line?.inFlight, progress.hasApplied(batch.number, of: line?.writer ?? 0) {
            refuseOperations(at: moment)
        }
    }
}
