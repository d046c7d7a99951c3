import Reactions

extension Refusal {
    /// What a person is told.
    ///
    /// - Parameters:
    ///   - reactions: The reactions that the request names, as they were sent.
    ///   - rules: The rules by which they were judged.
    /// - Returns: One line.
    func words(on reactions: [String], by rules: Rules) -> String {
        switch self {
        case .badRequest(let words): words
        case .keyReused: "this key was used for another request; take a new one"
        case .invalidReaction: rules.objection(to: reactions)
        case .reactionNotAllowed: "this reaction may not be used here"
        case .frozen: "the channel is frozen"
        case .messageDeleted: "the message was deleted"
        case .tooManyReactions(let words): words
        }
    }
}

extension Operation {
    /// The reactions that it names, as they were sent.
    var named: [String] {
        switch action {
        case .add(let reaction, _, _), .remove(let reaction, _), .toggle(let reaction, _, _): [reaction]
        case .set(let reactions): reactions
        case .clear(let reaction, _): reaction.map { [$0] } ?? []
        case .delete, .freeze: []
        }
    }
}

extension Rules {
    /// Says which of the texts is no reaction of this kind, and what is meant.
    fileprivate func objection(to texts: [String]) -> String {
        let text = texts.first { isInvalid($0) }.map(quoted) ?? "this"
        let names = "1–64 of a–z, 0–9, _, + and -"
        return switch kind {
        case .emoji: "\(text) is no emoji, and this channel takes emoji only, one at a time"
        case .named: "\(text) is no name, and this channel takes names only: \(names)"
        case .any: "\(text) is neither an emoji nor a name (\(names)), and this channel takes nothing else"
        }
    }

    private func isInvalid(_ text: String) -> Bool {
        do throws(Refusal) {
            _ = try reaction(from: text)
            return false
        } catch {
            return error == .invalidReaction
        }
    }
}

/// What somebody sent, so that it can be repeated wherever it is shown: short, and nothing in it that is not seen, that
/// turns the line around, or that is mark-up.
private func quoted(_ text: String) -> String {
    let most = 32
    guard !text.isEmpty else { return "an empty text" }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) { shown.append(isHarmless(scalar) ? scalar : "\u{FFFD}") }
    return "'\(String(shown))\(text.unicodeScalars.dropFirst(most).isEmpty ? "" : "…")'"
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // A joiner is part of many emoji.
    case .format: scalar == "\u{200D}"
    case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: !"<>&\"'`\\".unicodeScalars.contains(scalar)
    }
}
