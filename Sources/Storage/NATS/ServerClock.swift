/// Finds out what time it is for the servers: JetStream notes its own with each message that it stores.
struct ServerClock: Sendable {
    /// How long finding out may take, in milliseconds: by half of that it may be wrong.
    private static let longest = 2_000

    private let link: NATSLink
    private let stream: String
    private let subject: String

    init(_ link: NATSLink, _ subjects: NATSSubjects) {
        self.link = link
        stream = subjects.state
        subject = subjects.clock
    }

    /// The servers' time in Unix milliseconds, less ``SystemClock/now``; `nil`: they did not tell it soon enough.
    func look() -> Int64? {
        let begin = SystemClock.now
        guard case .success(let place) = NATSLog.place(link.wait(for: subject, [], within: Self.longest)),
            case .reply(let bytes, _, _) = link.wait(
                for: "$JS.API.STREAM.MSG.GET.\(stream)", Array(#"{"last_by_subj":"\#(subject)"}"#.utf8),
                within: Self.longest)
        else { return nil }
        let (end, message) = (SystemClock.now, StreamAnswer(bytes))
        // Another broker's, where that came later, is as good.
        guard end - begin <= Self.longest, let sequence = message.sequence, sequence >= place, let time = message.time
        else { return nil }
        return time - Int64(begin + (end - begin) / 2)
    }
}

/// RFC 3339, as JetStream writes it: in UTC, with as many digits of a second as it has.
enum Timestamp {
    /// The Unix milliseconds of a text such as `2026-11-30T21:24:04.123456789Z`; `nil` where it is none.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), (1...12).contains(month),
            let day = number(bytes[8..<10]), (1...31).contains(day), let hour = number(bytes[11..<13]), hour < 24,
            let minute = number(bytes[14..<16]), minute < 60, let second = number(bytes[17..<19]), second <= 60
        else { return nil }
        var thousandths: Int64 = 0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."),
                let digits = number((bytes[20..<(bytes.count - 1)] + Array("00".utf8)).prefix(3))
            else { return nil }
            thousandths = digits
        }
        let ofDay = (hour * 60 + minute) * 60 + second
        return (days(year, month, day) * 86_400 + ofDay) * 1_000 + thousandths
    }

    /// The days from 1970 to a day of the Gregorian calendar; years are counted from March, so that a leap day is the last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
