/// The known word that a mistyped one was most likely meant to be, or `nil` where none is near.
///
/// Near is an edit distance (insertions, deletions, replacements, swaps of neighbours) of at most a third of the
/// word's length, at least 1; or a known word that the mistyped one begins, from 3 letters on.
public func nearest(to word: String, among known: [String]) -> String? {
    let limit = max(1, word.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in known {
        let distance = editDistance(word, candidate)
        if distance <= limit, distance < candidate.count, distance < best?.distance ?? .max {
            best = (candidate, distance)
        }
    }
    return best?.word ?? known.first { word.count >= 3 && $0.hasPrefix(word) }
}

/// The optimal string alignment distance of two words.
private func editDistance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    // Words that are this long are no near misses, and the table below is quadratic.
    guard one.count <= 64, other.count <= 64 else { return .max }
    var rows = [[Int]](repeating: [Int](repeating: 0, count: other.count + 1), count: one.count + 1)
    for row in 0...one.count { rows[row][0] = row }
    for column in 0...other.count { rows[0][column] = column }
    for row in one.indices {
        for column in other.indices {
            let replaced = rows[row][column] + (one[row] == other[column] ? 0 : 1)
            var least = min(replaced, rows[row][column + 1] + 1, rows[row + 1][column] + 1)
            if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                least = min(least, rows[row - 1][column - 1] + 1)
            }
            rows[row + 1][column + 1] = least
        }
    }
    return rows[one.count][other.count]
}
