import Foundation
import Testing

@testable import Broker

/// The reader of settings files: RFC 8259, with lines.
@Suite struct SettingsJSONTests {
    @Test(
        "a text that is no JSON is refused, with its line",
        arguments: [
            ("", 1, "ends"), ("  \n ", 2, "ends"), ("{", 1, "ends"), ("{\n\"a\"", 2, "':'"), ("{\"a\":}", 1, "a value"),
            ("{\"a\":1,}", 1, "name"), ("[1,]", 1, "a value"), ("[1 2]", 1, "']'"), ("{\"a\":1 \"b\":2}", 1, "'}'"),
            ("{a:1}", 1, "name"), ("{'a':1}", 1, "name"), ("nul", 1, "a value"), ("nulls", 1, "the end"),
            ("{}\n{}", 2, "the end"), ("01", 1, "the end"), ("-", 1, "digit"), ("1.", 1, "digit"), (".5", 1, "a value"),
            ("1e", 1, "digit"), ("+1", 1, "a value"), ("NaN", 1, "a value"), ("\"a", 1, "no end"),
            ("\"a\nb\"", 1, "line break"), ("\"\\", 1, "no end"), ("\"\\x\"", 1, "\\"),
            ("\"\\u12g4\"", 1, "hexadecimal"),
            ("\"\\ud800\"", 1, "surrogate"), ("\"\\udc00\"", 1, "surrogate"), ("\"\\ud800\\u0041\"", 1, "surrogate"),
            ("\u{FEFF}{}", 1, "byte-order mark"), ("{\u{FEFF}}", 1, "name"), ("// no\n{}", 1, "a value"),
            ("\n\n[\n1,\n,]", 5, "a value"),
            ("{\"a\":1,\n\"a\":2}", 2, "twice"), ("{\"a\":1,\n\"\\u0061\":2}", 2, "twice"),
        ])
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: SettingsError.self) { try SettingsJSON.read(Array(text.utf8)) }
        #expect(error?.line == line, "\(text)")
        #expect(error?.reason.contains(words) == true, "\(text): \(error?.reason ?? "")")
    }

    @Test(
        "what an error repeats of the text stays on one line",
        arguments: ["[\n1\r\n2]", "1.\n", "{\"a\\n\":1,\"a\\n\":1}", "[\u{1B}[2J]", "{\"\u{2028}\u{85}\" 1}"])
    func oneLine(text: String) {
        let error = #expect(throws: SettingsError.self) { try SettingsJSON.read(Array(text.utf8)) }
        let reason = error?.reason ?? "\n"
        #expect(reason.allSatisfy { !$0.isNewline && $0 != "\u{1B}" }, "\(reason)")
    }

    @Test(
        "what is not UTF-8 is refused, with its line",
        arguments: [
            ([0xFF], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x0A, 0x22, 0xC3, 0xA4, 0x0A, 0xED, 0xA0, 0x80], 3),
        ])
    func notUTF8(bytes: [UInt8], line: Int) {
        let error = #expect(throws: SettingsError.self) { try SettingsJSON.read(bytes) }
        #expect(error == SettingsError(line: line, "this is not UTF-8"))
    }

    @Test("32 levels are read, 33 are too many")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try SettingsJSON.read(nested(32))
        #expect(throws: SettingsError.self) { try SettingsJSON.read(nested(33)) }
        #expect(throws: SettingsError.self) { try SettingsJSON.read(nested(100_000)) }
    }

    @Test(
        "values are those that Foundation reads",
        arguments: [
            #"{}"#, #"[]"#, #" [ 1 , -0, 0.5e+3, 1E2, true, false, null ] "#, #"{"a":{"b":[{"c":"d"}]}}"#,
            #""\"\\\/\b\f\n\r\tA\u00e9é👍\ud83d\ude00""#, "{\"a\"\t:\r\n1}",
        ])
    func values(text: String) throws {
        let bytes = Array(text.utf8)
        let oracle = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        #expect((plain(try SettingsJSON.read(bytes)) as? NSObject) == (oracle as? NSObject))
    }

    @Test("each value and each name knows its line")
    func lines() throws {
        let read = try SettingsJSON.read(Array("\n{\"a\":\n1,\r\n\"b\": [\n\"x\",\n{}]}".utf8))
        guard case .object(let members) = read.kind, case .array(let list) = members[1].value.kind else {
            Issue.record("an object with a list")
            return
        }
        #expect(read.line == 2)
        #expect(members.map(\.line) == [2, 4])
        #expect(members.map(\.value.line) == [3, 4])
        #expect(list.map(\.line) == [5, 6])
    }

    private func plain(_ value: SettingsJSON) -> Any {
        switch value.kind {
        case .object(let members): Dictionary(uniqueKeysWithValues: members.map { ($0.name, plain($0.value)) })
        case .array(let values): values.map(plain)
        case .string(let text): text
        case .number(let text): Double(text) ?? .nan
        case .bool(let flag): flag
        case .null: NSNull()
        }
    }
}
