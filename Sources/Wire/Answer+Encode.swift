public import Reactions

// The two messages that every reaction causes, without making values of them first.
extension BrokerMessage {
    /// Appends what ``ack(id:channel:_:isDuplicate:isCounted:)`` is as one JSON object.
    public static func append(
        ackTo id: RequestID?, channel: String, _ answer: Answer, isDuplicate: Bool, isCounted: Bool,
        to bytes: inout [UInt8]
    ) {
        bytes.appendAck(id, channel, answer, isDuplicate: isDuplicate, isCounted: isCounted)
    }

    /// Appends what ``event(channel:_:)`` is as one JSON object.
    public static func append(event change: Change, channel: String, to bytes: inout [UInt8]) {
        bytes.append(change, channel: channel)
    }
}

/// Writing the ack of section 3.
extension [UInt8] {
    mutating func appendAck(
        _ id: RequestID?, _ channel: String, _ answer: Answer, isDuplicate: Bool, isCounted: Bool
    ) {
        // Names, numbers and reactions as they usually are, and the words between them.
        let size = 384 + channel.utf8.count + answer.message.utf8.count + 32 * (answer.own?.count ?? 0)
        append(json: size) { room in
            room.write(json: #"{"type":"ack""#)
            room.member(#","id":"#, id)
            room.write(json: #","result":""#)
            room.write(answer.result)
            room.member(#"","channel":"#, channel)
            if let frozen = answer.frozen {
                room.write(json: frozen ? #","frozen":true"# : #","frozen":false"#)
            } else {
                room.members(of: answer, isCounted: isCounted)
            }
            if isDuplicate { room.write(json: #","duplicate":true"#) }
            room.close()
        }
    }
}

extension JSONRoom {
    fileprivate mutating func members(of answer: Answer, isCounted: Bool) {
        member(#","message":"#, answer.message)
        member(#","reaction":"#, ifAny: answer.reaction?.text)
        member(#","previous":"#, ifAny: answer.previous?.text)
        member(#","seq":"#, answer.seq)
        member(#","count":"#, ifAny: answer.count)
        members(own: answer.own, isCounted: isCounted)
        member(#","removed":"#, ifAny: answer.removed)
    }

    private mutating func members(own: [OwnReaction]?, isCounted: Bool) {
        guard let own else { return }
        write(json: #","own":["#)
        for index in own.indices {
            if index > 0 { write(json: ",") }
            write(own[index].reaction.text)
        }
        write(json: "]")
        guard isCounted else { return }
        write(json: #","own_counts":{"#)
        for index in own.indices {
            if index > 0 { write(json: ",") }
            write(own[index].reaction.text)
            write(json: ":")
            write(own[index].count)
        }
        write(json: "}")
    }

    fileprivate mutating func write(_ result: Answer.Result) {
        switch result {
        case .added: write(json: "added")
        case .removed: write(json: "removed")
        case .replaced: write(json: "replaced")
        case .updated: write(json: "updated")
        case .unchanged: write(json: "unchanged")
        case .changed: write(json: "changed")
        case .cleared: write(json: "cleared")
        case .deleted: write(json: "deleted")
        }
    }
}
