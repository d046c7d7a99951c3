/// The preferred form of dates in fields, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
public enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Reads a date, in seconds since 1970; `nil` where it is not of this form, or no date of the years 1970 to 9999.
    public static func unixSeconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", days.contains(where: { words[0] == $0 + "," }),
            let day = number(words[1], digits: 2), let month = months.firstIndex(where: { words[2] == $0 }),
            let year = number(words[3], digits: 4), year >= 1970,
            case let clock = words[4].split(separator: ":", omittingEmptySubsequences: false), clock.count == 3,
            let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
            let second = number(clock[2], digits: 2),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        return daysSinceEpoch(year: year, month: Int64(month) + 1, day: day) * 86_400 + hour * 3_600 + minute * 60
            + second
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits && text.utf8.allSatisfy(Byte.isDigit) ? Int64(text) : nil
    }

    /// The days from 1 January 1970, of the proleptic Gregorian calendar; years begin in March here, so that a leap day
    /// is a year's last.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
