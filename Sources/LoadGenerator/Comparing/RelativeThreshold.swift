/// A bound for the change between two runs: `p99>+10%`, `delivered.per_second<-5%`, or as in one run, `lost>0`.
struct RelativeThreshold: Sendable {
    private enum Bound: Sendable {
        /// The change in percent must not go past this.
        case change(Threshold.Comparison, percent: Double)
        /// The second run must keep this.
        case absolute(Threshold)
    }

    let text: String
    let metric: Metric
    private let bound: Bound

    /// Reads `NAME>+P%`, `NAME<-P%`, or a ``Threshold`` for the second run.
    init(_ text: String, _ scenario: Plan.Scenario) throws(Comparison.Problem) {
        self.text = text
        let words = String(text.filter { !$0.isWhitespace })
        let comparisons: [Threshold.Comparison] = [.atLeast, .atMost, .above, .below]
        guard words.last == "%", let sign = words.firstIndex(where: { $0 == "+" || $0 == "-" }),
            let comparison = comparisons.first(where: { words[..<sign].hasSuffix($0.rawValue) }),
            let percent = Double(words[sign...].dropLast())
        else {
            do {
                let threshold = try Threshold(text, scenario: scenario)
                metric = threshold.metric
                bound = .absolute(threshold)
            } catch {
                throw Comparison.Problem(message: "--fail-if: \(error.message); or a change such as p99>+10%")
            }
            return
        }
        let name = words[..<sign].dropLast(comparison.rawValue.count)
        do {
            // The name is read as any other; what it is compared with does not matter.
            metric = try Threshold("\(name)>0", scenario: scenario).metric
        } catch {
            throw Comparison.Problem(message: "--fail-if: \(error.message)")
        }
        bound = .change(comparison, percent: percent)
    }

    /// What was found, where the bound does not hold; `nil` where it does.
    ///
    /// A number that one of the runs does not have breaks it, and so does a rise from nothing.
    func broken(from before: Double?, to after: Double?) -> String? {
        switch bound {
        case .absolute(let threshold):
            guard threshold.isBroken(by: after) else { return nil }
            return after.map { Format.value($0, metric.kind) } ?? "not measured"
        case .change(let comparison, let percent):
            guard let before, let after else { return "not measured in both" }
            let growth = before == after ? 0 : before == 0 ? .infinity : (after / before - 1) * 100
            guard comparison.holds(growth, percent) else { return nil }
            let words = "\(Format.value(before, metric.kind)) became \(Format.value(after, metric.kind))"
            return growth.isFinite ? "\(words) (\(Comparison.signed(growth)))" : words
        }
    }
}
