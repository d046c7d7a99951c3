/// What a stream has to be set to, so that nothing is lost of what it has acknowledged, and brokers hear of it.
enum StreamShape {
    /// A stream of the log, whose subjects begin with a text.
    case log(beginning: String)
    /// The stream of snapshots and revocations, with all that it takes.
    case state(subjects: String)

    /// What may be in a setting.
    private var allowed: [(setting: String, values: [String])] {
        let common = [("storage", ["file"]), ("retention", ["limits"]), ("max_age", ["0"]), ("sealed", ["false"])]
        return switch self {
        case .log: common + [("discard", ["new"]), ("max_msgs_per_subject", ["-1", "0"])]
        case .state: common + [("max_msgs", ["-1", "0"]), ("max_bytes", ["-1", "0"])]
        }
    }

    /// What must not be as it is set, for a person; `nil`: nothing.
    func flaw(in answer: StreamAnswer) -> String? {
        for (setting, values) in allowed {
            if let value = answer.setting(setting), !values.contains(value) {
                return "its \(setting) is \(value), and has to be \(values[0])"
            }
        }
        switch self {
        case .log(let beginning):
            return answer.contains("\"republish\":{\"src\":\"\(beginning)")
                ? nil : "its republish is not what brokers need"
        case .state(let subjects):
            // The servers escape what would mean something in HTML.
            let escaped = subjects.split(separator: ">", omittingEmptySubsequences: false).joined(separator: "\\u003e")
            let isWhole = answer.contains("\"\(subjects)\"") || answer.contains("\"\(escaped)\"")
            return isWhole ? nil : "its subjects do not have \(subjects)"
        }
    }

    /// What is to be said of a stream that nothing is lost by.
    static func remarks(on stream: String, _ answer: StreamAnswer, replicas: Int) -> [String] {
        var remarks: [String] = []
        if answer.setting("deny_delete") == "true" {
            remarks.append(
                "the stream '\(stream)' has deny_delete, which NATS does not take back: what is behind snapshots stays, so that it only grows"
            )
        }
        guard let found = answer.setting("num_replicas"), found != String(replicas) else { return remarks }
        remarks.append(
            "the stream '\(stream)' has \(found) replicas, and 'nats.replicas' is \(replicas), which counts only when it is made: 'nats stream edit \(stream) --replicas \(replicas)' changes it"
        )
        return remarks
    }
}
