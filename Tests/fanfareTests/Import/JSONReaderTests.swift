import Foundation
import TestSupport
import Testing

@testable import fanfare

/// JSON as imports read it, with the places of what is wrong.
@Suite struct JSONReaderTests {
    /// Reads a text whole; gives the line and the words of what stops it.
    private func problem(_ text: String, bytes: [UInt8]? = nil) -> String? {
        var reader = JSONReader(bytes ?? Array(text.utf8))
        do throws(JSONReader.Fault) {
            try reader.skip()
            try reader.end()
            return nil
        } catch {
            return "\(reader.line(of: error.offset)): \(error.words)"
        }
    }

    @Test(
        "a value is gone over, whatever it is",
        arguments: [
            "null", " true ", "false", "0", "-0", "-12.5e+3", "1E9", #""""#, #""a\"\\\/\b\f\n\r\tA""#, "[]", "{}",
            "[1,[2,{}]]", #"{"a":{"b":[]},"a":1}"#, "\u{FEFF}[]", "\r\n\t[ 1 , 2 ]\n",
            String(repeating: "[", count: 128) + String(repeating: "]", count: 128),
        ])
    func whole(text: String) {
        #expect(problem(text) == nil)
    }

    @Test(
        "what is no JSON stops at its line, with the reason",
        arguments: [
            ("", "1: the text ends too early"), ("[\n1,\n", "3: the text ends too early"),
            ("[1,\n2", "2: the text ends too early"), (#"{"a"#, "1: the text ends too early"),
            ("[\n1\n2]", "3: a comma or the array's end"), (#"{"a":1 "b":2}"#, "1: a comma or the object's end"),
            ("[1,]", "1: this is no value"), (#"{"a":1,}"#, "1: a string is expected"),
            (#"{"a" 1}"#, "1: a colon"), ("{\n1:2}", "2: a string is expected"), ("[tru]", "1: this is no value"),
            ("[01]", "1: a comma or the array's end"), ("[-]", "1: this is no value"), ("[1.]", "1: this is no value"),
            ("[.5]", "1: this is no value"), ("[1e]", "1: this is no value"), ("[]\n[]", "2: nothing more"),
            (#"["\x"]"#, "1: this is no escape"), (#"["\u12G4"]"#, "1: this is no escape"),
            ("[\"a\nb\"]", "1: a control character"), ("'a'", "1: this is no value"),
            (String(repeating: "[", count: 129), "1: this lies deeper than 128"),
        ])
    func broken(text: String, words: String) {
        let found = problem(text)
        #expect(found?.hasPrefix(words) == true, "\(found ?? "nothing stopped it")")
    }

    @Test("a string that is wanted is text: UTF-8, with escapes undone, never half a surrogate pair")
    func strings() throws {
        func string(_ bytes: [UInt8]) throws(JSONReader.Fault) -> String {
            var reader = JSONReader(bytes)
            return try reader.string()
        }
        #expect(try string(Array(#""a\"\\\/\b\f\n\r\t\u00e4\ud83d\udc4d👍""#.utf8)) == "a\"\\/\u{8}\u{C}\n\r\tä👍👍")
        #expect(throws: JSONReader.Fault.self) { try string(Array(#""\ud83d""#.utf8)) }
        #expect(throws: JSONReader.Fault.self) { try string(Array(#""\udc4d\ud83d""#.utf8)) }
        #expect(throws: JSONReader.Fault.self) { try string([0x22, 0xFF, 0x22]) }
        #expect(problem("", bytes: [0x22, 0xFF, 0x22]) == nil, "what is skipped is not looked into")
    }

    @Test("an id is a string or a whole number; a number with a fraction is none")
    func ids() throws {
        var reader = JSONReader(Array(#"["a", 12, 1.5]"#.utf8))
        var ids: [String] = []
        #expect(throws: JSONReader.Fault(offset: 10, words: "a whole number is expected here")) {
            try reader.array { (reader) throws(JSONReader.Fault) in ids.append(try reader.id()) }
        }
        #expect(ids == ["a", "12"])
    }

    @Test(
        "seconds become milliseconds without passing through a floating-point number",
        arguments: [
            ("1704067200.123456", 1_704_067_200_123), ("1704067200", 1_704_067_200_000),
            ("1704067200.5", 1_704_067_200_500), ("0.0009", 0), ("-1", nil), ("253402300800", nil), ("x", nil),
            ("", nil), ("1.", nil), ("1.x", nil), ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func seconds(text: String, expected: Int64?) {
        #expect(UnixTime.milliseconds(seconds: text) == expected)
    }

    /// Any JSON value, and how many strings are in it.
    private func value(_ generator: inout some RandomNumberGenerator, depth: Int, _ strings: inout [String]) -> Any {
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return NSNull()
        case 1: return Bool.random(using: &generator)
        case 2: return Int.random(in: -1_000...1_000, using: &generator)
        case 3, 4, 5:
            let letters = ["a", "\"", "\\", "/", "\n", "ä", "👍", "\u{1}", "\u{2028}", "0"]
            let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &generator)]
            }.joined()
            strings.append(text)
            return text
        case 6:
            return (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                value(&generator, depth: depth - 1, &strings)
            }
        default:
            return ["k": value(&generator, depth: depth - 1, &strings)]
        }
    }

    /// All strings in a text, but for the names of members, as the reader finds them.
    private func strings(_ reader: inout JSONReader, into found: inout [String]) throws(JSONReader.Fault) {
        reader.passSpace()
        switch reader.next {
        case UInt8(ascii: "["):
            try reader.array { (reader) throws(JSONReader.Fault) in try strings(&reader, into: &found) }
        case UInt8(ascii: "{"):
            try reader.object { (reader, _) throws(JSONReader.Fault) in try strings(&reader, into: &found) }
        case UInt8(ascii: "\""): found.append(try reader.string())
        default: try reader.skip()
        }
    }

    @Test("what Foundation writes is read as it was; cut off anywhere it is refused")
    func property() throws {
        var generator = SeededGenerator()
        let seed = generator.seed
        for _ in 0..<300 {
            var expected: [String] = []
            let value = [value(&generator, depth: 5, &expected)]
            let bytes = Array(try JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted]))
            var found: [String] = []
            var reader = JSONReader(bytes)
            try strings(&reader, into: &found)
            try reader.end()
            #expect(found == expected, "seed \(seed)")
            let cut = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator)))
            #expect(problem("", bytes: cut)?.hasSuffix("the text ends too early") == true, "seed \(seed)")
        }
    }
}
