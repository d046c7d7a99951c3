import Reactions
import Wire

/// Counters, one for each word of a set of at most 16, which counts on the path of every message.
struct Counts<Word: CaseIterable & RawRepresentable<Int> & Sendable>: Sendable {
    private var numbers = InlineArray<16, UInt64>(repeating: 0)

    /// How often a word was counted.
    subscript(word: Word) -> UInt64 { numbers[word.rawValue] }

    mutating func count(_ word: Word) {
        numbers[word.rawValue] &+= 1
    }

    static func += (counts: inout Counts, more: Counts) {
        for index in counts.numbers.indices { counts.numbers[index] &+= more.numbers[index] }
    }
}

/// What became of a request that may change a channel.
enum ReactionResult: Int, CaseIterable, Sendable {
    case added, removed, replaced, updated, unchanged, changed, cleared, deleted
    /// Its key was used before, and the first answer was given again.
    case duplicate

    init(_ outcome: Outcome) {
        guard !outcome.isDuplicate else {
            self = .duplicate
            return
        }
        self =
            switch outcome.answer.result {
            case .added: .added
            case .removed: .removed
            case .replaced: .replaced
            case .updated: .updated
            case .unchanged: .unchanged
            case .changed: .changed
            case .cleared: .cleared
            case .deleted: .deleted
            }
    }
}

/// What a request asks for.
enum RequestKind: Int, CaseIterable, Sendable {
    case auth, subscribe, watch, unsubscribe, add, remove, toggle, set, clear, delete, freeze, reactors, list, ping
    /// It could not be read.
    case invalid

    init(_ request: Result<Request, BadRequest>) {
        self =
            switch request {
            case .success(let request): RequestKind(request.body)
            case .failure: .invalid
            }
    }

    private init(_ body: Request.Body) {
        self =
            switch body {
            case .auth: .auth
            case .subscribe: .subscribe
            case .watch: .watch
            case .unsubscribe: .unsubscribe
            case .operation(_, _, let action, _): RequestKind(action)
            case .reactors: .reactors
            case .list: .list
            case .ping: .ping
            }
    }

    private init(_ action: Operation.Action) {
        self =
            switch action {
            case .add: .add
            case .remove: .remove
            case .toggle: .toggle
            case .set: .set
            case .clear: .clear
            case .delete: .delete
            case .freeze: .freeze
            }
    }
}
