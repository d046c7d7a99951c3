/// What is wrong with a channel's part of the shared log, so that a broker cannot know what it comes to; in words for a
/// person.
enum LogFault: String, Sendable {
    /// Entries between the snapshot and the rest were let go of.
    case gap = "the shared log has a gap behind the channel's snapshot"
    /// A later version wrote something.
    case laterVersion = "the shared log has a change that only a later version of Fanfare understands"

    /// What somebody is to do about it.
    var advice: String {
        switch self {
        case .gap:
            "the state stream is older than the log: it is not read until the newer one is brought back, or a broker that has the channel in memory keeps a snapshot"
        case .laterVersion:
            "this broker takes no change of it, and is not ready, until it is started anew as that version"
        }
    }
}

extension Channel {
    /// Whether it goes no further in the log, since a change of a later version comes next.
    var hasStopped: Bool { line?.fault == .laterVersion }
}
