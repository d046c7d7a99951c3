import Reactions
import WebSocket
import Wire

/// What a reaction leads to, written when it is done, until it may go out: the ack, then the events.
struct Told: Sendable {
    var connection: ConnectionKey
    /// When the request was read, in nanoseconds of the monotonic clock; 0 where nobody asked.
    var receivedAt: UInt64
    var result: ReactionResult
    /// How many bytes the ack's frame has; 0: the request wants no reply.
    var ackBytes: UInt32
    var eventBytes: UInt32
    var events: UInt32
}

/// The bytes of what was told by the channel and may not go out yet, in order.
struct ToldQueue: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The events; where their frames lie is counted from the first byte of their operation's events.
    private(set) var marks: [EventBatch.Mark] = []
    /// How many bytes and marks at the front are out.
    private var outBytes = 0
    private var outMarks = 0

    /// An emptied queue keeps its memory up to so many bytes.
    private static let keptBytes = 4_096

    /// Writes the ack and the events of an operation.
    mutating func write(
        _ outcome: Outcome, for origin: Origin, channel: String, isCounted: Bool
    ) -> Told {
        var told = Told(
            connection: origin.connection, receivedAt: origin.receivedAt, result: ReactionResult(outcome),
            ackBytes: 0, eventBytes: 0, events: UInt32(clamping: outcome.changes.count))
        if origin.wantsReply {
            told.ackBytes = appendFrame { bytes in
                BrokerMessage.append(
                    ackTo: origin.id, channel: channel, outcome.answer, isDuplicate: outcome.isDuplicate,
                    isCounted: isCounted, to: &bytes)
            }
        }
        for index in outcome.changes.indices { append(outcome.changes[index], channel, to: &told) }
        return told
    }

    private mutating func append(_ change: Change, _ channel: String, to told: inout Told) {
        let length = appendFrame { BrokerMessage.append(event: change, channel: channel, to: &$0) }
        let start = Int(told.eventBytes)
        marks.append(
            EventBatch.Mark(
                seq: change.seq, message: change.message, reactions: change.reactions,
                frame: start..<start + Int(length)))
        told.eventBytes += length
    }

    @inline(__always)
    private mutating func appendFrame(_ write: (inout [UInt8]) -> Void) -> UInt32 {
        let start = bytes.count
        WebSocketFrame.append(textTo: &bytes, write)
        return UInt32(clamping: bytes.count - start)
    }

    /// Lends what is told next, and takes it out.
    mutating func pass(
        _ told: Told, to body: (_ ack: Span<UInt8>, _ events: Span<UInt8>, _ marks: ArraySlice<EventBatch.Mark>) -> Void
    ) {
        let events = outBytes + Int(told.ackBytes)
        let end = events + Int(told.eventBytes)
        let endOfMarks = outMarks + Int(told.events)
        body(
            bytes.span.extracting(outBytes..<events), bytes.span.extracting(events..<end),
            marks[outMarks..<endOfMarks])
        outBytes = end
        outMarks = endOfMarks
    }

    /// Gives back the memory of what is out; called when as much went out as may.
    mutating func tidy() {
        if outBytes == bytes.count, outMarks == marks.count {
            let mayKeep = bytes.capacity <= ToldQueue.keptBytes
            bytes.removeAll(keepingCapacity: mayKeep)
            marks.removeAll(keepingCapacity: mayKeep)
        } else {
            bytes.removeFirst(outBytes)
            marks.removeFirst(outMarks)
        }
        outBytes = 0
        outMarks = 0
    }
}

// What seldom happens to what waits.
extension ToldQueue {
    /// The events that may not go out yet.
    var waitingMarks: ArraySlice<EventBatch.Mark> { marks[outMarks...] }

    /// The ids of the requests, in order; `nil` for one that has none, or wanted no reply.
    func ids(of all: some Sequence<Told>) -> [RequestID?] {
        var start = outBytes
        return all.map { told in
            let ack = bytes.span.extracting(start..<start + Int(told.ackBytes))
            start += Int(told.ackBytes) + Int(told.eventBytes)
            var id: RequestID?
            ack.forEachPayload { payload in
                if case .ack(let asked, _, _, _, _) = try? BrokerMessage.decode(payload) { id = asked }
            }
            return id
        }
    }

    /// Writes the events anew without the names of those who reacted.
    mutating func removeNames(from all: inout [Told], channel: String) {
        var anonymous = ToldQueue()
        var start = outBytes
        for index in all.indices {
            let events = start + Int(all[index].ackBytes)
            let end = events + Int(all[index].eventBytes)
            anonymous.bytes.append(contentsOf: bytes[start..<events])
            all[index].eventBytes = 0
            bytes.span.extracting(events..<end).forEachPayload { payload in
                guard case .event(_, let change) = try? BrokerMessage.decode(payload) else { return }
                anonymous.append(change.withoutNames, channel, to: &all[index])
            }
            start = end
        }
        self = anonymous
    }
}
