/// What marks the messages and the data of one run, so that other events in the same channel are not taken for its own.
struct RunID: Sendable, Equatable {
    private let value: UInt32
    private let prefix: String

    /// Makes a mark.
    init(_ value: UInt32) {
        self.value = value
        prefix = "run-\(String(value, radix: 16))-"
    }

    /// The name of a message by its number.
    func message(_ number: Int) -> String { prefix + "\(number)" }

    /// The number of a message; `nil` where it is none of this run's.
    func number(ofMessage message: String) -> Int? {
        guard message.hasPrefix(prefix), let number = Int(message.dropFirst(prefix.count)), number >= 0,
            number < 1 << 40
        else { return nil }
        return number
    }

    /// The data that an addition carries.
    func data(number: UInt64) -> String { "{\"n\":\(number),\"run\":\(value)}" }

    /// The request's number in an addition's data; `nil` where it is none of this run's.
    func number(in data: String) -> UInt64? {
        guard EventScanner.number(named: "run", in: data.utf8) == UInt64(value) else { return nil }
        return EventScanner.number(named: "n", in: data.utf8)
    }
}
