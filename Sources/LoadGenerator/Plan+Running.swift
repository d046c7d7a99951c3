internal import Transport

extension Plan {
    /// Does what the plan says, on loops of its own, and blocks the calling thread until it is done.
    ///
    /// The time that takes is bounded: by the connect timeout for each wave of connections, the duration, the drain, and a few seconds.
    ///
    /// - Parameter progress: Is given a line to show each second, without a line break; `nil`: nobody looks.
    /// - Returns: What was found, also where something was lost or failed.
    /// - Throws: A ``LoadError`` where the run could not take place.
    public func run(progress: ((String) -> Void)? = nil) throws(LoadError) -> Report {
        try check()
        let dial: Dial
        do {
            dial = try Dial(self)
        } catch {
            throw .cannotConnect("\(error)")
        }
        guard allowsRemote || dial.isLocal else { throw .remoteTarget(target.host) }
        let stage = Stage(self, dial: dial, progress: progress)
        defer { stage.end() }
        var report =
            switch scenario {
            case .fanout: try Fanout(stage).run()
            case .idle: try Idle(stage).run()
            }
        report.judge()
        return report
    }

    /// Whether the numbers fit together and the process may open enough.
    private func check() throws(LoadError) {
        if scenario == .fanout, publishers < 1 { throw .contradiction("a fan-out needs a publisher") }
        if subscribers < 1 { throw .contradiction("a run needs a connection that subscribes or idles") }
        if scenario == .fanout, channels > min(publishers, subscribers) {
            throw .contradiction("\(channels) channels need as many publishers and subscribers at least")
        }
        if loops > subscribers { throw .contradiction("\(loops) loops need as many connections at least") }
        let needed = connectionCount + 64
        let limit = raiseDescriptorLimit()
        guard needed <= limit else { throw .descriptors(needed: needed, limit: limit) }
    }
}
