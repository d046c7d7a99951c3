import Reactions

/// Writing the events of section 4, one for each change.
extension [UInt8] {
    mutating func append(_ change: Change, channel: String) {
        switch change.kind {
        case .added(let group, let byCount, let data):
            append(#"{"type":"added","channel":"#, channel, change, data) {
                $0.members(group, of: change, byCount: byCount)
            }
        case .removed(let group, let byCount):
            append(#"{"type":"removed","channel":"#, channel, change, nil) {
                $0.members(group, of: change, byCount: byCount)
            }
        case .updated(let group, let data):
            append(#"{"type":"updated","channel":"#, channel, change, data) {
                $0.members(group, of: change, byCount: nil)
            }
        case .replaced(let group, let previous, let data):
            append(#"{"type":"replaced","channel":"#, channel, change, data) {
                $0.members(group, inPlaceOf: previous, of: change)
            }
        case .cleared(let groups, let reaction, let user, let by, let removed, let isDeletion):
            append(json: #"{"type":"cleared""#)
            member(#","channel":"#, channel)
            member(#","seq":"#, change.seq)
            member(#","message":"#, change.message)
            member(#","reaction":"#, ifAny: reaction)
            member(#","user":"#, ifAny: user)
            member(#","by":"#, by)
            member(#","removed":"#, removed)
            member(#","total":"#, change.total)
            member(#","at":"#, change.at)
            member(#","groups":"#, groups)
            if isDeletion { member(#","reason":"#, "deleted") }
            close()
        }
    }

    /// Appends an event that begins with a piece and its channel.
    @inline(__always)
    private mutating func append(
        _ piece: StaticString, _ channel: String, _ change: Change, _ data: ReactionData?,
        _ members: (inout JSONRoom) -> Void
    ) {
        let user = change.user?.utf8.count ?? 0
        // Names, numbers and reactions as they usually are, and the words between them.
        let size = 384 + channel.utf8.count + change.message.utf8.count + user + (data?.text.utf8.count ?? 0)
        append(json: size) { room in
            room.member(piece, channel)
            room.member(#","seq":"#, change.seq)
            room.member(#","message":"#, change.message)
            members(&room)
            if let data {
                room.write(json: #","data":"#)
                room.write(data: data.text)
            }
            room.close()
        }
    }
}

extension JSONRoom {
    fileprivate mutating func members(_ group: GroupCount, of change: Change, byCount: UInt64?) {
        member(#","reaction":"#, group.reaction.text)
        member(#","user":"#, ifAny: change.user)
        member(#","count":"#, group.count)
        member(#","users":"#, group.users)
        member(#","by_count":"#, ifAny: byCount)
        member(#","total":"#, change.total)
        member(#","at":"#, change.at)
    }

    fileprivate mutating func members(_ group: GroupCount, inPlaceOf previous: GroupCount, of change: Change) {
        member(#","reaction":"#, group.reaction.text)
        member(#","count":"#, group.count)
        member(#","users":"#, group.users)
        member(#","previous":"#, previous.reaction.text)
        member(#","previous_count":"#, previous.count)
        member(#","previous_users":"#, previous.users)
        member(#","user":"#, ifAny: change.user)
        member(#","total":"#, change.total)
        member(#","at":"#, change.at)
    }
}
