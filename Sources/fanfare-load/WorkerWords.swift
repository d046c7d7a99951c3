import LoadGenerator

/// The words that a coordinator gives to its workers.
enum WorkerWords {
    /// Options that are the coordinator's own business.
    private static let own: Set = ["worker", "save", "csv", "junit", "html", "user", "seed", "fail-if", "token"]
    private static let ownFlags: Set = ["json", "quiet", "progress"]

    /// The words for a worker, by its number from 0: the coordinator's, with users and a seed of its own.
    static func words(for worker: Int, _ arguments: [String], _ plan: Plan) -> [String] {
        var words: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            guard word.hasPrefix("--"), own.contains(name) || ownFlags.contains(name) else {
                words.append(word)
                continue
            }
            if own.contains(name), !word.contains("=") { _ = rest.popFirst() }
        }
        words.append("--seed=\((plan.seed &+ UInt64(worker)) % 9_007_199_254_740_991)")
        switch plan.identity {
        case .token(let token): words.append("--token=\(token)")
        case .users(let prefix): words.append("--user=\(prefix)-w\(worker + 1)")
        }
        return words
    }
}
