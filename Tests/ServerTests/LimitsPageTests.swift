import Foundation
import Testing

@testable import Broker

/// The page that tells of the limits tells of all of them, as they are.
@Suite struct LimitsPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Server/Documentation.docc/Limits.md")

    @Test("each limit has a row with what it may be", arguments: LimitName.allCases)
    func range(name: LimitName) throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.contains(" | `\(name.rawValue)` | ") }
        try #require(rows.count == 1)
        let bounds = [name.range.lowerBound, name.range.upperBound].map(Self.grouped)
        #expect(rows[0].contains(" | \(bounds[0]) to \(bounds[1]) | "), "\(rows[0])")
    }

    /// Digits with a comma before each three.
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
