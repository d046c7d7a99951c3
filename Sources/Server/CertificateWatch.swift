import Broker
import Transport

/// Looks every day whether a certificate ends soon, since a broker may run for longer than they last.
final class CertificateWatch: TimerHandler {
    private let certificates: [TLSServerContext]
    private unowned let loop: EventLoop
    private let log: BrokerLog

    /// Makes one that begins with ``begin()``, on the loop.
    init(_ certificates: [TLSServerContext], _ loop: EventLoop, _ log: BrokerLog) {
        self.certificates = certificates
        self.loop = loop
        self.log = log
    }

    func begin() {
        loop.schedule(self, after: .seconds(86_400))
    }

    func timerFired(_ now: MonotonicTime) {
        // Listeners may have one certificate in common.
        for warning in Set(certificates.flatMap(\.fileWarnings)).sorted() { log.warning(warning) }
        begin()
    }
}

extension Server {
    /// Begins to look at the certificates.
    func watchCertificates() {
        guard !certificates.isEmpty, let loop = loops.first else { return }
        let (certificates, log) = (certificates, context.log)
        loop.execute { CertificateWatch(certificates, loop, log).begin() }
    }
}
