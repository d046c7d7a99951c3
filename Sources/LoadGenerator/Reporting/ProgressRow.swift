/// What happened in one second of a run.
struct ProgressRow: Sendable {
    var elapsed: Duration
    var connected: Int
    var published: UInt64
    var delivered: UInt64
    var latency: Histogram
    var errors: UInt64
    /// How long the row stands for.
    var length: Duration

    /// The heads of the columns.
    static var heading: String {
        Format.right("time", 8) + Format.right("connected", 12) + Format.right("published/s", 14)
            + Format.right("delivered/s", 14) + Format.right("p50 ms", 10) + Format.right("p99 ms", 10)
            + Format.right("errors", 9)
    }

    /// The row.
    var text: String {
        let seconds = max(length / .seconds(1), 1e-3)
        func percentile(_ share: Double) -> String {
            latency.value(at: share).map { Format.short(Double($0) / 1000) } ?? "-"
        }
        return Format.right("\(Format.decimal(elapsed / .seconds(1), places: 0)) s", 8)
            + Format.right("\(connected)", 12)
            + Format.right(Format.decimal(Double(published) / seconds, places: 0), 14)
            + Format.right(Format.decimal(Double(delivered) / seconds, places: 0), 14)
            + Format.right(percentile(0.5), 10) + Format.right(percentile(0.99), 10) + Format.right("\(errors)", 9)
    }
}
