import Glibc
import Reactions
import WebSocket
import Wire

// Does one step of a message's way so many times, to be counted in instructions by callgrind:
// `scripts/bench --instructions` runs it with two numbers and divides what lies between.
//
//     hot-paths STEP TIMES

/// Takes what was read, and gives it to nobody.
struct Sink: WebSocketHandler {
    var bytes = 0

    mutating func received(text: Span<UInt8>) { bytes += text.count }
    mutating func received(binary: Span<UInt8>) {}
}

/// What the steps work on.
enum Sample {
    static let request =
        #"{"type":"add","id":1001,"channel":"chat:42","message":"m1","reaction":"👍","data":{"n":1234567,"run":"r1"}}"#
    static let time: Int64 = 1_764_470_400_000
}

/// What is done so many times; each step says how many bytes or changes it has made, so that nothing is left out.
let steps: [(name: String, run: (Int) -> Int)] = [
    ("decode-frame", decodeFrames), ("parse-request", parseRequests), ("apply-operation", applyOperations),
    ("encode-event", encodeEvents), ("encode-ack", encodeAcks), ("encode-summary", encodeSummaries),
]

/// A masked text frame, from bytes to a whole message.
func decodeFrames(_ times: Int) -> Int {
    var peer = WebSocketPeer(role: .server)
    var client = WebSocketPeer(role: .client, maskingKey: { 0x1234_5678 })
    var frame: [UInt8] = []
    client.send(text: Array(Sample.request.utf8).span, into: &frame)
    var sink = Sink()
    var answers: [UInt8] = []
    for _ in 0..<times {
        var bytes = frame
        var elements = bytes.mutableSpan
        var span = MutableRawSpan(_elements: &elements)
        peer.receive(&span, answering: &answers, &sink)
    }
    return sink.bytes
}

/// The text of an `add`, to a request.
func parseRequests(_ times: Int) -> Int {
    let text = Array(Sample.request.utf8)
    var ids = 0
    for _ in 0..<times {
        if let request = try? Request.decode(text.span), request.id != nil { ids += 1 }
    }
    return ids
}

/// A reaction added or taken away, in turn, on a message of 1,000 reactors.
func applyOperations(_ times: Int) -> Int {
    var ledger = Ledger()
    let rules = Rules()
    var changes = 0
    func apply(_ action: Operation.Action, _ user: Int) {
        let operation = Operation(action, message: "m1", user: "user-\(user)")
        let outcome = try? ledger.apply(operation, rules: rules, at: Sample.time)
        changes += outcome?.changes.count ?? 0
    }
    for user in 0..<1_000 { apply(.add(reaction: "👍", count: nil, data: nil), user) }
    for round in 0..<times {
        let isAdd = round % 2 == 1
        let user = round / 2 % 1_000
        apply(isAdd ? .add(reaction: "👍", count: nil, data: nil) : .remove(reaction: "👍", count: nil), user)
    }
    return changes
}

/// An event, to its text.
func encodeEvents(_ times: Int) -> Int {
    let group = GroupCount(reaction: Reaction(canonical: "👍"), count: 1_234, users: 1_234)
    let change = Change(
        seq: 98_765, message: "m1", user: "ada", at: Sample.time, total: 4_321,
        kind: .added(group, byCount: nil, data: nil))
    return encode(.event(channel: "chat:42", change), times)
}

/// An ack, to its text.
func encodeAcks(_ times: Int) -> Int {
    let own = [OwnReaction(reaction: Reaction(canonical: "👍"))]
    let answer = Answer(
        .added, message: "m1", seq: 98_765, reaction: Reaction(canonical: "👍"), count: 1_234, own: own)
    return encode(
        .ack(id: .number(1_001), channel: "chat:42", answer, isDuplicate: false, isCounted: false), times)
}

/// A summary of ten messages with five groups each, to its text.
func encodeSummaries(_ times: Int) -> Int {
    let groups = ["👍", "❤️", "😂", "🎉", "😮"].map {
        GroupCount(reaction: Reaction(canonical: $0), count: 1_234, users: 1_234)
    }
    let deltas = (0..<10).map { SummaryDelta(message: "message-\($0)", total: 6_170, groups: groups) }
    return encode(.summary(channel: "chat:42", seq: 98_765, messages: deltas), times)
}

func encode(_ message: BrokerMessage, _ times: Int) -> Int {
    var bytes: [UInt8] = []
    var sum = 0
    for _ in 0..<times {
        bytes.removeAll(keepingCapacity: true)
        message.append(to: &bytes)
        sum += bytes.count
    }
    return sum
}

guard CommandLine.arguments.count == 3, let times = Int(CommandLine.arguments[2]), times >= 0,
    let step = steps.first(where: { $0.name == CommandLine.arguments[1] })
else {
    print("usage: hot-paths STEP TIMES; steps: \(steps.map(\.name).joined(separator: " "))")
    exit(2)
}
print(step.name, step.run(times))
