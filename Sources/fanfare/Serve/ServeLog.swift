import Broker

/// How log lines are written.
enum LogForm: String, CaseIterable {
    case text, json

    /// A log on standard error, one line an entry.
    var log: BrokerLog {
        BrokerLog { [self] level, line in
            switch self {
            case .text: complain("\(level.rawValue): \(line)", level)
            case .json: complain(LogForm.jsonLine(level, line), level)
            }
        }
    }

    private static func jsonLine(_ level: BrokerLog.Level, _ line: String) -> String {
        var escaped = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 0x20: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return #"{"time":\#(wallClockMilliseconds()),"level":"\#(level.rawValue)","message":"\#(escaped)"}"#
    }
}
