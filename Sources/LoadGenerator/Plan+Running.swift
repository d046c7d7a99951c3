internal import Transport

extension Plan {
    /// Does what the plan says, on loops of its own, and blocks the calling thread until it is done.
    ///
    /// The time that takes is bounded: by the connect timeout for each wave of connections, the duration, the drain, and a few seconds.
    ///
    /// - Parameters:
    ///   - interruption: Somebody's wish to end early, with a report of what was found by then.
    ///   - display: Is given each second's row; `nil`: nobody looks.
    ///   - gate: Is called when all connections are ready, and says when to start on the monotonic clock; `nil`: at once.
    ///   - share: Is given the last seq of each channel that was acked here, and says which it is of all processes that publish
    ///     there; `nil`: nobody else does.
    /// - Returns: What was found, also where something was lost or failed.
    /// - Throws: A ``LoadError`` where the run could not take place.
    public func run(
        interruption: Interruption? = nil, display: ((Row) -> Void)? = nil, gate: (() -> UInt64)? = nil,
        share: (([UInt64]) -> [UInt64])? = nil
    ) throws(LoadError) -> Report {
        let dial: Dial
        do {
            try checkNumbers()
            dial = try Dial(self)
        } catch let error as LoadError {
            throw error
        } catch {
            throw .cannotConnect("\(error)")
        }
        guard allowsRemote || dial.isLocal else { throw .remoteTarget(target.host) }
        try checkResources(dial)
        if let metrics { try Scraper.check(metrics) }
        let stage = Stage(
            Setting(self, dial: dial), interruption: interruption, gate: gate, share: share, display: display)
        defer { stage.end() }
        var report =
            switch scenario {
            case .idle: try Idle(stage).run()
            case .raw: try RawBroadcast(stage).run()
            default: try Broadcast(stage).run()
            }
        report.judge()
        return report
    }

    /// Whether the numbers fit together.
    private func checkNumbers() throws(LoadError) {
        if scenario.publishes, publishers < 1 { throw .contradiction("a run that publishes needs a publisher") }
        if subscribers < 1 { throw .contradiction("a run needs a connection that subscribes or idles") }
        if scenario.publishes, !scenario.isMixed, channels > min(publishers, subscribers) {
            throw .contradiction("\(channels) channels need as many publishers and subscribers at least")
        }
        if mode == .summary, ![.fanout, .react].contains(scenario) {
            throw .contradiction("mode summary is for the scenarios fanout and react")
        }
        if loops > subscribers { throw .contradiction("\(loops) loops need as many connections at least") }
        if scenario != .raw, target.hasQuery {
            throw .contradiction("the URL has no query: users are named by --user or --token")
        }
        if scenario == .raw, raw == nil { throw .contradiction("a raw run needs what is published: --raw-publish") }
        if scenario == .raw, channels > 1 || closed != nil || !faults.isEmpty {
            throw .contradiction("a raw run has one channel, an open loop and no faults")
        }
        if scenario.isMixed, mix.add + mix.toggle == 0 {
            throw .contradiction("a mix needs an add or a toggle: there is nothing to remove otherwise")
        }
        for case .pause(let after, _) in faults {
            if serverProcess == nil {
                throw .contradiction("the fault pause needs the server's process: --server-pid")
            }
            if after >= duration {
                throw .contradiction(
                    "the fault pause comes after \(Format.short(after / .seconds(1))) s, and the run is over after "
                        + "\(Format.short(duration / .seconds(1))) s")
            }
        }
        for source in sources where Dial.source(source) == nil {
            throw .contradiction("--source is an IP address of this machine, as in 127.0.0.2, not \"\(source)\"")
        }
        if let process = serverProcess, ProcessStatus.read(process: process) == nil {
            throw .contradiction("there is no process \(process) whose memory may be read")
        }
    }

    /// Whether the process may open enough descriptors, and has enough ports.
    private func checkResources(_ dial: Dial) throws(LoadError) {
        let needed = connectionCount + 64
        let limit = raiseDescriptorLimit()
        guard needed <= limit else { throw .descriptors(needed: needed, limit: limit) }
        guard dial.takesPorts, let ports = EphemeralPorts.count else { return }
        let available = ports * dial.sourceCount
        guard connectionCount <= available else {
            throw .ports(needed: connectionCount, available: available, sources: dial.sourceCount)
        }
    }
}
