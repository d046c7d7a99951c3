import Reactions
import Storage
import Wire

/// What is posted to a webhook: events as clients get them, each with the epoch of its seq.
enum WebhookBatch {
    /// A change as an entry of the outbox.
    static func entry(_ change: Change, in channel: String, epoch: String, queue: String) -> OutboxEntry {
        OutboxEntry(queue: queue, at: change.at, body: body(change, channel, epoch))
    }

    /// The body of a request; where nobody may be named, entries that were made before lose their names.
    static func body(of entries: [OutboxEntry], isAnonymous: Bool, epoch: String) -> [UInt8] {
        var bytes = Array(#"{"events":["#.utf8)
        for (index, entry) in entries.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += isAnonymous ? withoutNames(entry.body, epoch) : entry.body
        }
        bytes += Array("]}".utf8)
        return bytes
    }

    private static func body(_ change: Change, _ channel: String, _ epoch: String) -> [UInt8] {
        var bytes: [UInt8] = []
        BrokerMessage.event(channel: channel, change).append(to: &bytes)
        bytes.removeLast()  // the brace
        // An epoch is made of letters and digits.
        bytes += Array(#","epoch":"\#(epoch)"}"#.utf8)
        return bytes
    }

    private static func withoutNames(_ entry: [UInt8], _ epoch: String) -> [UInt8] {
        guard case .event(let channel, let change) = try? BrokerMessage.decode(entry.span) else { return entry }
        return body(change.withoutNames, channel, epoch)
    }
}
