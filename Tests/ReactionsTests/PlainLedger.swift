import Reactions

/// The ledger's rules once more, as plainly as they can be written: lists of rows, searched from the start.
struct PlainLedger {
    struct Row {
        var message: String
        var user: String
        var reaction: String
        var count: UInt64
        var given: UInt64
        var touched: UInt64
        var at: Int64
        var data: ReactionData?
    }

    struct Kind {
        var message: String
        var reaction: String
        var first: Int64
        var last: Int64
    }

    struct UsedKey {
        var user: String
        var key: String
        var at: Int64
        var body: [String]
        var answer: Answer
    }

    var seq: UInt64 = 0
    var isFrozen = false
    var rows: [Row] = []
    /// In the order in which they were started.
    var kinds: [Kind] = []
    var changed: [String: UInt64] = [:]
    var deleted: Set<String> = []
    var keys: [UsedKey] = []
    /// What clients may send, and its canonical form.
    var forms: [String: String]
    var changes: [Change] = []

    init(forms: [String: String]) {
        self.forms = forms
    }
}

// MARK: Changing

extension PlainLedger {
    mutating func apply(_ operation: Operation, rules: Rules, at: Int64) throws(Refusal) -> (Answer, Bool) {
        changes = []
        try refuseByPolicy(operation, rules)
        let body = body(operation)
        if let key = operation.key {
            if let used = keys.last(where: { $0.user == operation.user && $0.key == key && at - $0.at <= 600_000 }) {
                if used.body != body { throw .keyReused }
                return (used.answer, true)
            }
        }
        try refuseByList(operation, rules)
        switch operation.action {
        case .add, .remove, .toggle, .set: if isFrozen { throw .frozen }
        case .clear, .delete, .freeze: break
        }
        switch operation.action {
        case .add, .toggle, .set: if deleted.contains(operation.message) { throw .messageDeleted }
        case .remove, .clear, .delete, .freeze: break
        }
        var copy = self
        let answer = try copy.perform(operation, rules, at)
        if let key = operation.key {
            copy.keys.append(UsedKey(user: operation.user, key: key, at: at, body: body, answer: answer))
        }
        self = copy
        return (answer, false)
    }

    private func refuseByPolicy(_ operation: Operation, _ rules: Rules) throws(Refusal) {
        let isListed = rules.policy == .unique || rules.policy == .distinct
        switch operation.action {
        case .add(_, let count?, _), .remove(_, let count?), .toggle(_, let count?, _):
            if rules.policy != .multiple || count < 1 || count > 1_000 { throw .badRequest("") }
        case .add, .remove, .toggle, .delete, .freeze: break
        case .set(let reactions):
            if !isListed { throw .badRequest("") }
            if rules.policy == .unique, Set(reactions.map { forms[$0] ?? $0 }).count > 1 { throw .badRequest("") }
        case .clear(_, let user): if operation.message == "*", user == nil { throw .badRequest("") }
        }
        if case .toggle = operation.action, !isListed { throw .badRequest("") }
    }

    private func refuseByList(_ operation: Operation, _ rules: Rules) throws(Refusal) {
        let raw: [String]
        switch operation.action {
        case .add(let reaction, _, _), .remove(let reaction, _), .toggle(let reaction, _, _): raw = [reaction]
        case .set(let reactions): raw = reactions
        case .clear(let reaction, _): raw = [reaction].compactMap { $0 }
        case .delete, .freeze: raw = []
        }
        if raw.contains(where: { forms[$0] == nil }) { throw .invalidReaction }
        switch operation.action {
        case .remove, .clear: return
        case .toggle(let reaction, _, _):
            if rows(of: operation.user, operation.message).contains(where: { $0.reaction == forms[reaction] }) {
                return
            }
        default: break
        }
        for reaction in raw.compactMap({ forms[$0] }) {
            if let allowed = rules.allowed, !allowed.contains(Reaction(canonical: reaction)) {
                throw .reactionNotAllowed
            }
            if let allowed = operation.tokenAllowed, !allowed.contains(where: { forms[$0] == reaction }) {
                throw .reactionNotAllowed
            }
        }
    }

    private func body(_ operation: Operation) -> [String] {
        func form(_ raw: String?) -> String { raw.map { forms[$0] ?? $0 } ?? "none" }
        switch operation.action {
        case .add(let reaction, let count, let data):
            return ["add", operation.message, form(reaction), "\(count ?? 1)", data?.canonical ?? "none"]
        case .remove(let reaction, let count):
            return ["remove", operation.message, form(reaction), count.map { "\($0)" } ?? "all"]
        case .toggle(let reaction, _, let data):
            return ["toggle", operation.message, form(reaction), data?.canonical ?? "none"]
        case .set(let reactions):
            var forms: [String] = []
            for reaction in reactions where !forms.contains(form(reaction)) { forms.append(form(reaction)) }
            return ["set", operation.message] + forms
        case .clear(let reaction, let user): return ["clear", operation.message, form(reaction), user ?? "none"]
        case .delete: return ["delete", operation.message]
        case .freeze: return ["freeze"]
        }
    }

    private mutating func perform(_ operation: Operation, _ rules: Rules, _ at: Int64) throws(Refusal) -> Answer {
        let message = operation.message
        switch operation.action {
        case .add(let raw, let count, let data):
            return try performAdd(raw, UInt64(count ?? 1), data, operation, rules, at)
        case .toggle(let raw, _, let data):
            if !rows(of: operation.user, message).contains(where: { $0.reaction == forms[raw] }) {
                return try performAdd(raw, 1, data, operation, rules, at)
            }
            return performRemove(raw, nil, operation, rules, at)
        case .remove(let raw, let count):
            return performRemove(raw, count, operation, rules, at)
        case .set(let raw):
            return try performSet(raw, operation, rules, at)
        case .clear(let raw, let user):
            return performClear(raw.flatMap { forms[$0] }, user, operation, at)
        case .delete:
            guard !deleted.contains(message) else { return Answer(.unchanged, message: message, seq: seq, removed: 0) }
            let removed = total(message)
            deleted.insert(message)
            clear(message, nil, nil, operation, isDeletion: true, at)
            return Answer(.deleted, message: message, seq: seq, removed: removed)
        case .freeze(let frozen):
            defer { isFrozen = frozen }
            return Answer(frozen == isFrozen ? .unchanged : .changed, message: message, seq: seq, frozen: frozen)
        }
    }

    private mutating func performAdd(
        _ raw: String, _ count: UInt64, _ data: ReactionData?, _ operation: Operation, _ rules: Rules, _ at: Int64
    ) throws(Refusal) -> Answer {
        let (message, user, reaction) = (operation.message, operation.user, forms[raw] ?? raw)
        var answer = Answer(.unchanged, message: message, seq: seq, reaction: Reaction(canonical: reaction))
        if rules.policy == .ephemeral {
            answer.result = .added
            answer.count = 0
            answer.own = []
            return answer
        }
        let index = rows.firstIndex { $0.message == message && $0.user == user && $0.reaction == reaction }
        if let index, rules.policy == .multiple {
            seq += 1
            rows[index].count += count
            touch(index, data, at)
            for kind in kinds.indices where kinds[kind].message == message && kinds[kind].reaction == reaction {
                kinds[kind].last = at
            }
            note(operation, at, .added(numbers(message, reaction), byCount: count, data: rows[index].data))
            answer.result = .added
        } else if let index {
            if let data, data.canonical != rows[index].data?.canonical {
                seq += 1
                touch(index, data, at)
                note(operation, at, .updated(numbers(message, reaction), data: data))
                answer.result = .updated
            }
        } else if rules.policy == .unique, let old = rows(of: user, message).first {
            seq += 1
            drop(message, user, old.reaction)
            insert(message, user, reaction, 1, data, at)
            note(
                operation, at,
                .replaced(numbers(message, reaction), previous: numbers(message, old.reaction), data: data))
            answer.result = .replaced
            answer.previous = Reaction(canonical: old.reaction)
        } else {
            seq += 1
            insert(message, user, reaction, count, data, at)
            let by = rules.policy == .multiple ? count : nil
            note(operation, at, .added(numbers(message, reaction), byCount: by, data: data))
            answer.result = .added
        }
        if answer.result == .added || answer.result == .replaced, index == nil {
            try checkLimits([reaction], operation, rules)
        }
        answer.seq = seq
        answer.count = numbers(message, reaction).count
        answer.own = own(user, message)
        return answer
    }

    private mutating func performRemove(
        _ raw: String, _ count: Int?, _ operation: Operation, _ rules: Rules, _ at: Int64
    ) -> Answer {
        let (message, user, reaction) = (operation.message, operation.user, forms[raw] ?? raw)
        var answer = Answer(.unchanged, message: message, seq: seq, reaction: Reaction(canonical: reaction))
        if let index = rows.firstIndex(where: { $0.message == message && $0.user == user && $0.reaction == reaction }) {
            seq += 1
            let amount = min(count.map { UInt64($0) } ?? .max, rows[index].count)
            rows[index].count -= amount
            if rows[index].count == 0 { drop(message, user, reaction) }
            let by = rules.policy == .multiple ? amount : nil
            note(operation, at, .removed(numbers(message, reaction), byCount: by))
            answer.result = .removed
        }
        answer.seq = seq
        answer.count = numbers(message, reaction).count
        answer.own = own(user, message)
        return answer
    }

    private mutating func performSet(
        _ raw: [String], _ operation: Operation, _ rules: Rules, _ at: Int64
    ) throws(Refusal) -> Answer {
        let (message, user) = (operation.message, operation.user)
        let asked = raw.compactMap { forms[$0] }
        var gone = rows(of: user, message).map(\.reaction).filter { !asked.contains($0) }
        var new: [String] = []
        for reaction in asked where !new.contains(reaction) {
            if !rows(of: user, message).contains(where: { $0.reaction == reaction }) { new.append(reaction) }
        }
        let added = new
        if rules.policy == .unique, let old = gone.first, let reaction = new.first {
            seq += 1
            drop(message, user, old)
            insert(message, user, reaction, 1, nil, at)
            note(operation, at, .replaced(numbers(message, reaction), previous: numbers(message, old), data: nil))
            (gone, new) = ([], [])
        }
        for reaction in gone {
            seq += 1
            drop(message, user, reaction)
            note(operation, at, .removed(numbers(message, reaction), byCount: nil))
        }
        for reaction in new {
            seq += 1
            insert(message, user, reaction, 1, nil, at)
            note(operation, at, .added(numbers(message, reaction), byCount: nil, data: nil))
        }
        try checkLimits(added, operation, rules)
        return Answer(
            changes.isEmpty ? .unchanged : .changed, message: message, seq: seq, own: own(user, message))
    }

    private mutating func performClear(
        _ reaction: String?, _ user: String?, _ operation: Operation, _ at: Int64
    ) -> Answer {
        let before = rows.map(\.count).reduce(0, +)
        let hit = rows.filter { row in
            (operation.message == "*" || row.message == operation.message)
                && (reaction == nil || row.reaction == reaction) && (user == nil || row.user == user)
        }
        let messages = Set(hit.map(\.message)).sorted { (changed[$0] ?? 0) < (changed[$1] ?? 0) }
        for message in messages { clear(message, reaction, user, operation, isDeletion: false, at) }
        return Answer(
            messages.isEmpty ? .unchanged : .cleared, message: operation.message, seq: seq,
            reaction: reaction.map { Reaction(canonical: $0) }, removed: before - rows.map(\.count).reduce(0, +))
    }

    private mutating func clear(
        _ message: String, _ reaction: String?, _ user: String?, _ operation: Operation, isDeletion: Bool, _ at: Int64
    ) {
        seq += 1
        let before = total(message)
        let hit = kinds(message).map(\.reaction).filter { kind in
            (reaction == nil || kind == reaction)
                && rows(message, kind).contains { user == nil || $0.user == user }
        }
        for kind in hit {
            for row in rows(message, kind) where user == nil || row.user == user { drop(message, row.user, kind) }
        }
        let kind = Change.Kind.cleared(
            groups: hit.map { numbers(message, $0) }, reaction: reaction.map { Reaction(canonical: $0) }, user: user,
            by: operation.user, removed: before - total(message), isDeletion: isDeletion)
        changed[message] = seq
        changes.append(Change(seq: seq, message: message, user: nil, at: at, total: total(message), kind: kind))
    }

    private mutating func note(_ operation: Operation, _ at: Int64, _ kind: Change.Kind) {
        changed[operation.message] = seq
        changes.append(
            Change(
                seq: seq, message: operation.message, user: operation.user, at: at, total: total(operation.message),
                kind: kind))
    }

    private mutating func insert(
        _ message: String, _ user: String, _ reaction: String, _ count: UInt64, _ data: ReactionData?, _ at: Int64
    ) {
        if let kind = kinds.firstIndex(where: { $0.message == message && $0.reaction == reaction }) {
            kinds[kind].last = at
        } else {
            kinds.append(Kind(message: message, reaction: reaction, first: at, last: at))
        }
        rows.append(
            Row(
                message: message, user: user, reaction: reaction, count: count, given: seq, touched: seq, at: at,
                data: data))
    }

    private mutating func touch(_ index: Int, _ data: ReactionData?, _ at: Int64) {
        rows[index].touched = seq
        rows[index].at = at
        if let data { rows[index].data = data }
    }

    private mutating func drop(_ message: String, _ user: String, _ reaction: String) {
        rows.removeAll { $0.message == message && $0.user == user && $0.reaction == reaction }
        if rows(message, reaction).isEmpty {
            kinds.removeAll { $0.message == message && $0.reaction == reaction }
        }
    }

    /// Judged on the state afterwards: what was added must fit, and a kind among it that nobody else has.
    private func checkLimits(_ added: [String], _ operation: Operation, _ rules: Rules) throws(Refusal) {
        guard !added.isEmpty else { return }
        if own(operation.user, operation.message).count > rules.maxPerUserAndMessage { throw .tooManyReactions("") }
        let isAnyNew = added.contains { rows(operation.message, $0).count == 1 }
        if isAnyNew, kinds(operation.message).count > rules.maxKindsPerMessage { throw .tooManyReactions("") }
    }
}
