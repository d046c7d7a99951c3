import Reactions
import Storage
import Transport

// Channels that live in a log which several brokers share.
extension Hub {
    /// How many channels are looked at in a second at most after something may have been missed.
    private static let checksPerSecond = 1_000
    /// How many of them in a second in any case, and in how many seconds all are, where they are not too many.
    private static let idleChecksPerSecond = 200
    private static let checkRound = 30
    /// How long after something was found missing in a channel it is looked for again, where nobody asks.
    private static let gapPause = Duration.seconds(LogLine.gapDelay / 1_000)

    /// Has the log tell of a channel.
    func follow(_ name: String) {
        let inbox = hubs[index]
        sharedLog?.follow(name) { inbox.post(.heard(name, $0)) }
    }

    /// Where a channel stands that comes into memory.
    func makeLine(in log: any OperationLog) -> LogLine {
        LogLine(
            writer: writer, maxBatchBytes: log.maxEntryBytes, maxWaitingBytes: settings.limits.waitingBytes,
            clock: health.logClock)
    }

    func heard(_ name: String, _ news: LogNews) {
        guard let resident = residents[name] else { return }
        let moment = moment
        switch news {
        case .entry(let entry, let previous):
            resident.releasedAt = .now
            resident.channel.onLoop { $0.heard(entry, previous: previous, at: moment) }
        case .said(let bytes): resident.channel.onLoop { $0.heard(said: bytes, at: moment) }
        }
        mark(resident)
    }

    func read(_ name: String, _ result: Result<LogReading, StoreError>) {
        guard let resident = residents[name] else { return }
        resident.isBeingRead = false
        switch result {
        case .success: if let sharedLog { health.couldRead(fromPart: sharedLog.part(of: name)) }
        case .failure(.closed): break
        case .failure: countFailedRead(of: name)
        }
        let moment = moment
        let (fault, isUnread) = resident.channel.onLoop { channel in
            (channel.read(result, at: moment), channel.isUnread)
        }
        resident.isUnread = isUnread
        if let fault, resident.channel.onLoop({ $0.line?.fault }) == nil {
            log.say(.error, .store, "the log could not be read for a channel: \(fault)")
        }
        mark(resident)
    }

    func appended(_ name: String, _ number: UInt64, _ result: Result<UInt64, AppendFailure>) {
        if case .failure(.refused(let reason)) = result {
            metrics.commitFailures += 1
            note(trouble: LogLine.refused(reason), with: name)
            log.say(.error, .store, "the log refused a batch: \(reason)")
        }
        guard let resident = residents[name] else { return }
        if case .success = result { countCommit(since: resident.batchTimer.answered(number)) }
        let moment = moment
        resident.channel.onLoop { $0.appended(number, result, at: moment) }
        mark(resident)
    }

    /// Asks the log for what a channel wants of it.
    func workOnLog(of resident: Resident, at moment: Moment) {
        guard let sharedLog else { return }
        let (name, number, inbox) = (resident.channel.name, batchNumber, hubs[index])
        let work = resident.channel.onLoop { $0.takeLogWork(number: number, at: moment) }
        // Where the log's answer was lost, its return says as well that it stands there.
        if work.hasReturned { countCommit(since: resident.batchTimer.returned()) }
        if let (number, bytes, operations) = work.append {
            if number == batchNumber {
                batchNumber += 1
                resident.batchTimer.begin(number, operations: operations, at: .now)
                if operations > 0 { metrics.commitRecords.record(UInt64(operations)) }
            }
            sharedLog.append(bytes, to: name) { inbox.post(.appended(name, number, $0)) }
        }
        if work.hasGivenUp {
            metrics.commitFailures += 1
            let words = work.trouble.map { "\($0): they are unavailable, and /readyz says 503, until one comes back" }
            log.say(.error, .store, words ?? "a change was given up, since the log has lost what was before it")
        }
        if let trouble = work.trouble { note(trouble: trouble, with: name) }
        if work.hasReturned, health.cameBack(fromPart: sharedLog.part(of: name)) {
            log.say(.info, .store, "changes come back from the log again")
        }
        if let read = work.read {
            sharedLog.read(name, after: read.known) { inbox.post(.read(name, $0)) }
        }
        for bytes in work.say { sharedLog.say(bytes, about: name) }
        note(work.fault, with: resident)
        if let lost = work.lost { note(lost, of: resident) }
        if work.isInDoubt {
            log.say(
                .warning, .store, "brokers have applied different changes of a channel: it is read from the log anew")
        }
        if let (position, bytes) = work.snapshot {
            sharedLog.keepSnapshot(of: name, at: position, bytes: bytes)
        }
    }

    /// A batch stands in the log, which is what a commit is where brokers share one.
    private func countCommit(since began: MonotonicTime?) {
        if let began { metrics.commits.record(from: began.nanoseconds, to: .now) }
    }

    /// Notes what is wrong with the part of the log in which a channel stands.
    private func note(trouble words: String, with name: String) {
        guard let sharedLog else { return }
        health.note(trouble: words, ofPart: sharedLog.part(of: name), at: loop.now)
    }

    /// Notes what is wrong with what a channel has in the log, or that nothing is any more.
    private func note(_ fault: LogFault?, with resident: Resident) {
        guard fault != nil || health.hasLogFaults && !resident.isUnread else { return }
        guard health.note(fault, ofChannel: resident.channel.name) else { return }
        let place = words(for: resident)
        if let fault {
            log.say(.error, .store, "\(place): \(fault.rawValue); \(fault.advice)")
        } else {
            log.say(.info, .store, "\(place): the log is whole again")
        }
    }

    /// Says how much the log has lost of what was acknowledged.
    private func note(_ lost: AckedBatches.Loss, of resident: Resident) {
        metrics.lostBatches += UInt64(lost.batches)
        log.say(
            .error, .store,
            "\(words(for: resident)): NATS has lost what this broker had acknowledged, and nothing brings it back: batches \(lost.batches), requests \(lost.requests)"
        )
    }

    /// A channel as it may be named in the log.
    private func words(for resident: Resident) -> String {
        let name = resident.channel.name
        let isNamed = settings.namespace(of: name)?.isAnonymous == false
        return isNamed ? "the channel '\(name)'" : "a channel of '\(settings.namespaceEntry(of: name))'"
    }

    /// Looks every second at some channels: what the log tells may get lost on its way where nothing follows it.
    func scheduleLogCheck() {
        guard sharedLog != nil else { return }
        loop.schedule(
            Alarm { [unowned self] in
                checkLog()
                scheduleLogCheck()
            }, after: .seconds(1))
    }

    /// What the log tells may have been missed.
    func checkAll() {
        unchecked = Array(residents.keys)
        check(&unchecked, Hub.checksPerSecond)
    }

    private func checkLog() {
        check(&unchecked, Hub.checksPerSecond)
        if uncheckedInRound.isEmpty { uncheckedInRound = Array(residents.keys) }
        check(&uncheckedInRound, min(residents.count / Hub.checkRound + 1, Hub.idleChecksPerSecond))
    }

    private func check(_ names: inout [String], _ most: Int) {
        let clock = moment.clock
        for name in names.suffix(most) {
            guard let resident = residents[name] else { continue }
            resident.channel.onLoop { $0.doubt(at: clock) }
            // Whoever asked for it was refused; where what is missing comes back, nobody need ask for that to be noticed.
            if resident.isUnread, health.hasLogFaults, (resident.readBegan ?? .now) + Hub.gapPause <= loop.now {
                read(resident, name)
            }
            mark(resident)
        }
        names.removeLast(min(names.count, most))
    }
}
