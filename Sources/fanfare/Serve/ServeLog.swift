import Broker
import HTTP

/// How log lines are written.
enum LogForm: String, CaseIterable {
    case text, json

    /// A log on standard error, one line an entry.
    var log: BrokerLog {
        BrokerLog { LogOutput.standardError.write(line($0), $0.level, in: self) }
    }

    /// An entry as a line.
    func line(_ entry: BrokerLog.Entry) -> String {
        switch self {
        case .text: LogForm.textLine(entry)
        case .json: LogForm.jsonLine(entry)
        }
    }

    static func textLine(_ entry: BrokerLog.Entry) -> String {
        "\(entry.level.rawValue): \(entry.line)" + (entry.trace.map { " [trace \($0.traceID)-\($0.parentID)]" } ?? "")
    }

    static func jsonLine(_ entry: BrokerLog.Entry) -> String {
        var escaped = ""
        for scalar in entry.line.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 0x20: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        let trace = entry.trace.map { #","trace_id":"\#($0.traceID)","parent_id":"\#($0.parentID)""# } ?? ""
        let level = entry.level.rawValue
        return #"{"time":\#(wallClockMilliseconds()),"level":"\#(level)","message":"\#(escaped)"\#(trace)}"#
    }
}
