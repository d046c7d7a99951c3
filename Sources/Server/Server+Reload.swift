import Broker
import Synchronization
import Transport

extension Server {
    /// What a reload has not changed.
    public struct Reload: Sendable, Equatable {
        /// The settings that have changed and take effect at the next start, by their names.
        public var later: [String] = []
        /// How many certificates, or what belongs to them, could not be read, and stay in use as they were.
        public var kept = 0
    }

    /// Goes on with other settings, as far as that is possible without a restart, and reads the certificates again.
    ///
    /// What cannot be changed, or cannot be read, stays as it is, and a log line says so. It waits for the files of the
    /// certificates; where the server has been stopped meanwhile, nothing changes.
    public func reload(_ settings: ServerSettings) -> Reload {
        var outcome = reloadCertificates()
        guard !isStopped.load(ordering: .relaxed) else { return outcome }
        let fixed = [
            ("listen", settings.listen != started.listen), ("data", settings.data != started.data),
            ("store", settings.store != started.store), ("nats", settings.nats != started.nats),
        ]
        for (name, isOther) in fixed where isOther {
            context.log.warning("'\(name)' has changed; that takes effect when the broker is started again")
            outcome.later.append(name)
        }
        context.access = AccessRules(settings)
        context.report = started.report.filter(\.isFixed) + settings.report.filter { !$0.isFixed }
        context.broker.adopt(settings.broker)
        warnOfMemory(settings.broker.limits)
        return outcome
    }

    /// Reads the certificates again, for the connections that come from now on.
    public func reloadCertificates() -> Reload {
        var outcome = Reload()
        // Listeners may have files in common.
        var told: [TransportError] = []
        for problem in certificates.flatMap({ $0.reload() }) where !told.contains(problem) {
            told.append(problem)
            context.log.error("the certificate stays as it was: \(problem)")
        }
        outcome.kept = told.count
        warn(certificates.flatMap(\.fileWarnings))
        return outcome
    }

    /// Says where so much memory is used already that nobody comes in: at the start that is the broker's own need.
    func warnOfMemory(_ limits: BrokerSettings.Limits) {
        guard let shortage = context.broker.memory.shortage(limits) else { return }
        let bound =
            switch shortage.bound {
            case .own: "limits.memory_bytes allows"
            case .controlGroup: "the control group allows"
            case .machine: "the machine has"
            }
        context.log.warning(
            "\(shortage.used) bytes of memory are used already, more than \(limits.memoryPercent) % "
                + "(limits.memory_percent) of the \(shortage.limit) that \(bound): nobody else can connect")
    }

    /// Says what of TLS will not do what it may be meant for.
    func warnOfTLS() { warn(certificates.flatMap(\.warnings)) }

    /// Says each of these once, for listeners may have one certificate in common.
    private func warn(_ warnings: [String]) {
        var told: Set<String> = []
        for warning in warnings where told.insert(warning).inserted { context.log.warning(warning) }
    }
}
