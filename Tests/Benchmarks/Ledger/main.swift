import Glibc
import Reactions

// Measures what reading and changing costs where very many have reacted to one message.
//
//     swift run -c release ledger-benchmark [REACTORS]     1,000,000 by default

/// How long each of many calls took, in nanoseconds.
struct Times {
    private var all: [UInt64] = []

    mutating func measure<Value>(_ body: () -> Value) -> Value {
        let begin = now()
        let value = body()
        all.append(now() - begin)
        return value
    }

    /// One line: how many, the median, the 99th percentile and the longest.
    func line(_ name: String) -> String {
        let sorted = all.sorted()
        guard let longest = sorted.last else { return "\(name): none" }
        let p99 = sorted[sorted.count * 99 / 100]
        let median = sorted[sorted.count / 2]
        return "\(name): \(sorted.count) calls, median \(median) ns, p99 \(p99) ns, longest \(longest) ns"
    }

    private func now() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// A ledger whose message `m` has many reactors, and the time of its operations.
struct Bench {
    let reactors: Int
    private var ledger = Ledger()
    private let rules = Rules()
    private var time: Int64 = 1_764_470_400_000

    init(reactors: Int) {
        self.reactors = reactors
    }

    private mutating func act(_ action: Operation.Action, _ user: String) -> Outcome? {
        time += 1
        return try? ledger.apply(Operation(action, message: "m", user: user), rules: rules, at: time)
    }

    /// Fills the ledger without anything beside it, and says by how much the process has grown.
    mutating func weigh() {
        let before = residentBytes()
        for number in 0..<reactors {
            _ = act(.add(reaction: number % 3 == 0 ? "🎉" : "👍", count: nil, data: nil), "user-\(number)")
        }
        print("memory: \((residentBytes() - before) / max(1, reactors)) bytes a reactor")
    }

    private func residentBytes() -> Int {
        let file = unsafe open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        let numbers = bytes[..<max(0, count)].split(separator: UInt8(ascii: " "))
        guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self)) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    mutating func fill() {
        var adds = Times()
        for number in 0..<reactors {
            let reaction = number % 3 == 0 ? "🎉" : "👍"
            _ = adds.measure { act(.add(reaction: reaction, count: nil, data: nil), "user-\(number)") }
        }
        print(adds.line("add, up to \(reactors) reactors"))
    }

    /// Reads all pages one after another, with an add or a removal between any two.
    mutating func page() {
        var (pages, writes) = (Times(), Times())
        var seen: Set<String> = []
        var cursor: UInt64?
        var round = 0
        repeat {
            let page = pages.measure { ledger.reactors(on: "m", with: nil, limit: 100, before: cursor) }
            for reactor in page.elements where !reactor.user.hasPrefix("new") {
                precondition(seen.insert(reactor.user).inserted, "\(reactor.user) came twice")
            }
            cursor = page.next
            round += 1
            _ = writes.measure { act(.add(reaction: "👍", count: nil, data: nil), "new-\(round)") }
        } while cursor != nil
        precondition(seen.count == reactors, "\(reactors - seen.count) were skipped")
        print(pages.line("page of 100 reactors, each behind the one before"))
        print(writes.line("add between pages"))
    }

    mutating func summarize() {
        var (summaries, lists) = (Times(), Times())
        for _ in 0..<10_000 { _ = summaries.measure { ledger.summary(of: "m", for: "user-7") } }
        for _ in 0..<10_000 { _ = lists.measure { ledger.newest(50, before: nil, for: "user-7") } }
        print(summaries.line("summary of the message"))
        print(lists.line("list"))
    }

    mutating func clear() {
        var (clears, adds) = (Times(), Times())
        let outcome = clears.measure { act(.clear(reaction: nil, user: nil), "mod") }
        print(clears.line("clear of \(outcome?.answer.removed ?? 0) reactions, \(outcome?.records.count ?? 0) records"))
        for number in 0..<20_000 {
            _ = adds.measure { act(.add(reaction: "👍", count: nil, data: nil), "after-\(number)") }
        }
        print(adds.line("add while the cleared give their memory back"))
    }
}

let reactors = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
do {
    var bench = Bench(reactors: reactors)
    bench.weigh()
}
var bench = Bench(reactors: reactors)
bench.fill()
bench.page()
bench.summarize()
bench.clear()
