import Reactions

/// Writing the events of section 4, one for each change.
extension [UInt8] {
    mutating func append(_ change: Change, channel: String) {
        switch change.kind {
        case .added(let group, let byCount, let data):
            open(#"{"type":"added""#, channel, change)
            members(group, of: change, byCount: byCount)
            member(#","data":"#, ifAny: data)
        case .removed(let group, let byCount):
            open(#"{"type":"removed""#, channel, change)
            members(group, of: change, byCount: byCount)
        case .updated(let group, let data):
            open(#"{"type":"updated""#, channel, change)
            members(group, of: change, byCount: nil)
            member(#","data":"#, ifAny: data)
        case .replaced(let group, let previous, let data):
            open(#"{"type":"replaced""#, channel, change)
            members(group, inPlaceOf: previous, of: change)
            member(#","data":"#, ifAny: data)
        case .cleared(let groups, let reaction, let user, let by, let removed, let isDeletion):
            open(#"{"type":"cleared""#, channel, change)
            member(#","reaction":"#, ifAny: reaction)
            member(#","user":"#, ifAny: user)
            member(#","by":"#, by)
            member(#","removed":"#, removed)
            member(#","total":"#, change.total)
            member(#","at":"#, change.at)
            member(#","groups":"#, groups)
            if isDeletion { member(#","reason":"#, "deleted") }
        }
        close()
    }

    private mutating func open(_ piece: StaticString, _ channel: String, _ change: Change) {
        append(json: piece)
        member(#","channel":"#, channel)
        member(#","seq":"#, change.seq)
        member(#","message":"#, change.message)
    }

    private mutating func members(_ group: GroupCount, of change: Change, byCount: UInt64?) {
        member(#","reaction":"#, group.reaction.text)
        member(#","user":"#, ifAny: change.user)
        member(#","count":"#, group.count)
        member(#","users":"#, group.users)
        member(#","by_count":"#, ifAny: byCount)
        member(#","total":"#, change.total)
        member(#","at":"#, change.at)
    }

    private mutating func members(_ group: GroupCount, inPlaceOf previous: GroupCount, of change: Change) {
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
