public import Reactions
import TestSupport

extension SeededGenerator {
    mutating func below(_ bound: UInt64) -> UInt64 {
        next(upperBound: bound)
    }

    mutating func chance(_ part: UInt64, of whole: UInt64) -> Bool {
        below(whole) < part
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(below(UInt64(elements.count)))]
    }
}

/// What a record is about, whatever it says.
enum Place: Hashable {
    case entry(message: String, user: String, reaction: Reaction)
    case group(message: String, reaction: Reaction)
    case swept(message: String, reaction: Reaction)
    case message(String)
    case key(user: String, key: String)
    case frozen

    init(_ record: Record) {
        switch record {
        case .entry(let message, let user, let reaction, _):
            self = .entry(message: message, user: user, reaction: reaction)
        case .group(let message, let reaction, _): self = .group(message: message, reaction: reaction)
        case .swept(let message, let reaction, _): self = .swept(message: message, reaction: reaction)
        case .message(let message, _): self = .message(message)
        case .key(let user, let key, _): self = .key(user: user, key: key)
        case .frozen: self = .frozen
        }
    }
}

/// A ledger with its rules, for short tests; its time is 1,000 at first, and one more with each operation.
struct Desk {
    var ledger = Ledger()
    var rules: Rules
    var now: Int64 = 999

    init(_ policy: Policy = .distinct, kind: ReactionKind = .any) {
        rules = Rules(policy: policy, kind: kind)
    }

    @discardableResult
    mutating func add(
        _ reaction: String, _ user: String, on message: String = "m", count: Int? = nil, data: ReactionData? = nil,
        key: String? = nil
    ) throws(Refusal) -> Outcome {
        try apply(.add(reaction: reaction, count: count, data: data), user, on: message, key: key)
    }

    @discardableResult
    mutating func remove(
        _ reaction: String, _ user: String, on message: String = "m", count: Int? = nil, key: String? = nil
    ) throws(Refusal) -> Outcome {
        try apply(.remove(reaction: reaction, count: count), user, on: message, key: key)
    }

    @discardableResult
    mutating func toggle(
        _ reaction: String, _ user: String, on message: String = "m", data: ReactionData? = nil
    ) throws(Refusal) -> Outcome {
        try apply(.toggle(reaction: reaction, count: nil, data: data), user, on: message)
    }

    @discardableResult
    mutating func set(_ reactions: [String], _ user: String, on message: String = "m") throws(Refusal) -> Outcome {
        try apply(.set(reactions: reactions), user, on: message)
    }

    @discardableResult
    mutating func clear(
        _ reaction: String? = nil, of user: String? = nil, on message: String = "m"
    ) throws(Refusal) -> Outcome {
        try apply(.clear(reaction: reaction, user: user), "mod", on: message)
    }

    @discardableResult
    mutating func apply(
        _ action: Operation.Action, _ user: String, on message: String = "m", key: String? = nil,
        tokenAllowed: [String]? = nil
    ) throws(Refusal) -> Outcome {
        now += 1
        let operation = Operation(action, message: message, user: user, key: key, tokenAllowed: tokenAllowed)
        return try ledger.apply(operation, rules: rules, at: now)
    }
}

extension OwnReaction: ExpressibleByStringLiteral {
    /// Takes a canonical text.
    public init(stringLiteral text: String) {
        self.init(reaction: Reaction(canonical: text))
    }
}

extension Reaction: ExpressibleByStringLiteral {
    /// Takes a canonical text.
    public init(stringLiteral text: String) {
        self.init(canonical: text)
    }
}

/// A group's numbers, in short.
func group(_ reaction: Reaction, _ count: UInt64, users: UInt64? = nil) -> GroupCount {
    GroupCount(reaction: reaction, count: count, users: users ?? count)
}
