import Broker
import HTTP

/// How log lines are written.
enum LogForm: String, CaseIterable {
    case text, json

    /// A log on standard error, one line an entry.
    var log: BrokerLog {
        BrokerLog { [self] entry in
            switch self {
            case .text: LogOutput.standardError.write(LogForm.textLine(entry), entry.level)
            case .json: LogOutput.standardError.write(LogForm.jsonLine(entry), entry.level)
            }
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
