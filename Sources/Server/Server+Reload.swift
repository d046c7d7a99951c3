import Broker
import Transport

extension Server {
    /// Goes on with other settings, as far as that is possible without a restart, and reads the certificates again.
    ///
    /// What cannot be changed, or cannot be read, stays as it is, and a log line says so.
    public func reload(_ settings: ServerSettings) {
        let fixed = [
            ("listen", settings.listen != started.listen), ("data", settings.data != started.data),
            ("store", settings.store != started.store), ("nats", settings.nats != started.nats),
        ]
        for (name, isOther) in fixed where isOther {
            context.log.warning("'\(name)' has changed; that takes effect when the broker is started again")
        }
        reloadCertificates()
        context.access = AccessRules(settings)
        context.report = started.report.filter(\.isFixed) + settings.report.filter { !$0.isFixed }
        context.broker.adopt(settings.broker)
    }

    /// Reads the certificates again, for the connections that come from now on.
    public func reloadCertificates() {
        for certificate in certificates {
            for problem in certificate.reload() { context.log.error("the certificate stays as it was: \(problem)") }
        }
        warnOfCertificates()
    }

    /// Says which certificates will not do what they may be meant for.
    func warnOfCertificates() {
        for certificate in certificates {
            for warning in certificate.warnings { context.log.warning(warning) }
        }
    }
}
