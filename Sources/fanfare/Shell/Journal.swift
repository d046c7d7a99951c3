import Broker
import Glibc

/// The journal of systemd as the place that standard error leads to.
enum Journal {
    /// Whether it does, by `JOURNAL_STREAM`: the device and the inode of what the manager connected to the journal.
    static let isStandardError = isJournal(environment(["JOURNAL_STREAM"])["JOURNAL_STREAM"], STDERR_FILENO)

    /// Whether a descriptor is the stream that the variable speaks of.
    static func isJournal(_ variable: String?, _ descriptor: CInt) -> Bool {
        var status = stat()
        guard let variable, unsafe fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }
}

extension BrokerLog.Level {
    /// How a line begins that the journal is to keep at this level (`sd-daemon(3)`).
    var journalPrefix: String {
        switch self {
        case .error: "<3>"
        case .warning: "<4>"
        case .info: "<6>"
        }
    }
}
