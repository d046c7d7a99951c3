import FanfareClient
import Reactions

extension Board {
    /// The screen: a state line, the counts as bars, the newest happenings beneath.
    ///
    /// - Parameters:
    ///   - width: The columns of the screen.
    ///   - height: The lines of the screen.
    /// - Returns: At most as many rows as there are lines.
    func rows(width: Int, height: Int) -> [Row] {
        guard width > 0, height > 0 else { return [] }
        let newest = min(lines.count, max(0, min(10, height / 3)))
        let free = max(0, height - 2 - (newest > 0 ? newest + 2 : 0))
        var rows = [stateRow(width: width), Row()]
        rows += countRows(width: width, limit: free)
        if newest > 0 {
            while rows.count < height - newest - 1 { rows.append(Row()) }
            var title = Row()
            title.put("newest", at: 0, before: width, .faint)
            rows.append(title)
            rows += lines.suffix(newest).reversed().map { line in
                var row = Row()
                row.put(line.time, at: 0, before: width, .faint)
                row.put(line.text, at: 10, before: width)
                return row
            }
        }
        return Array(rows.prefix(height))
    }

    private func stateRow(width: Int) -> Row {
        var row = Row()
        let (mark, text) = stateText
        row.put("●", at: 0, before: width, mark)
        row.put(channel, at: 2, before: width, .strong)
        row.put(text, at: row.end + 2, before: width, mark == .good ? .plain : mark)
        var facts: [String] = []
        if view.seq > 0 { facts.append("seq \(view.seq)") }
        if view.isFrozen { facts.append("frozen") }
        if let occupancy { facts.append("\(occupancy.connections) here") }
        facts.append("q quits")
        let right = facts.joined(separator: " · ")
        let column = width - cellWidth(right)
        if column >= row.end + 2 { row.put(right, at: column, before: width, .faint) }
        return row
    }

    private var stateText: (Row.Style, String) {
        switch state {
        case .connecting: (.faint, "connecting…")
        case .connected(let user): (.good, user.map { "connected as \($0)" } ?? "connected")
        case .waiting(let wait, let loss): (.bad, "\(loss); again in \(seconds(wait))")
        case .closed(let reason): (.bad, reason.description)
        }
    }

    private func countRows(width: Int, limit: Int) -> [Row] {
        let sections = self.sections
        guard limit > 0, !sections.isEmpty else {
            var row = Row()
            if case .connected = state { row.put("no reactions yet", at: 2, before: width, .faint) }
            return limit > 0 ? [row] : []
        }
        var rows: [Row] = []
        for (index, section) in sections.enumerated() {
            let needed = self.rows(of: section, width: width)
            let isLast = index == sections.count - 1
            guard rows.count + needed.count <= limit - (isLast ? 0 : 1) else {
                // One message alone is cut; with several, what does not fit is counted.
                if rows.isEmpty { return Array(needed.prefix(limit)) }
                var more = Row()
                more.put("… and \(sections.count - index) more messages", at: 0, before: width, .faint)
                return rows + [more]
            }
            rows += needed
        }
        return rows
    }

    private func rows(of section: Section, width: Int) -> [Row] {
        var title = Row()
        title.put(section.message.isEmpty ? "(the channel)" : section.message, at: 0, before: width, .strong)
        title.put(section.isDeleted ? "deleted" : "\(section.total)", at: title.end + 2, before: width, .faint)
        let most = section.groups.map(\.count).max() ?? 0
        let label = min(16, max(2, section.groups.map { cellWidth($0.reaction.text) }.max() ?? 2))
        let number = section.groups.map { String($0.count).count }.max() ?? 1
        let start = 2 + label + 1
        let cells = max(0, min(60, width - start - number - 2))
        return [title]
            + section.groups.map { group in
                var row = Row()
                row.put(group.reaction.text, at: 2, before: min(width, start - 1))
                row.put(bar(group.count, of: most, cells: cells), at: start, before: width, .bar)
                row.put(String(group.count), at: max(row.end, start) + 1, before: width)
                return row
            }
    }

    /// One message as it is shown.
    private struct Section {
        var message: String
        var total: UInt64
        var groups: [(reaction: Reactions.Reaction, count: UInt64)]
        var isDeleted = false
    }

    private var sections: [Section] {
        let counted = view.newestFirst.compactMap { message -> Section? in
            guard message.total > 0 || message.isDeleted else { return nil }
            let groups = message.groups.map { (reaction: $0.reaction, count: $0.count) }
            return Section(
                message: message.message, total: message.total, groups: sorted(groups), isDeleted: message.isDeleted)
        }
        let tallied = tallies.sorted { $0.key < $1.key }.map { message, counts in
            let groups = sorted(counts.map { (reaction: $0.key, count: $0.value) })
            let total = groups.reduce(0 as UInt64) { $0.addingReportingOverflow($1.count).partialValue }
            return Section(message: message, total: total, groups: groups)
        }
        return counted + tallied
    }

    /// Most first; equal ones by their text, so that rows do not jump.
    private func sorted(_ groups: [(reaction: Reactions.Reaction, count: UInt64)]) -> [(
        reaction: Reactions.Reaction, count: UInt64
    )] {
        groups.sorted { $0.count != $1.count ? $0.count > $1.count : $0.reaction.text < $1.reaction.text }
    }
}

/// A wait as a person reads it: `2.3 s`.
func seconds(_ wait: Duration) -> String {
    let tenths = Int64((wait / .milliseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
}
