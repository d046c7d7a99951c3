import Foundation
import Reactions
import TestSupport
import Testing
import Wire

/// `data` is compared as JSON values: equal values, and only they, have equal canonical forms.
struct CanonicalDataTests {
    static func data(_ json: String) throws(BadRequest) -> ReactionData {
        try ReactionData.decode(Array(json.utf8).span)
    }

    /// Each row is of one value; the values of different rows differ.
    static let values: [[String]] = [
        ["{}", " { } ", "{\n}"],
        [
            #"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1e0}"#, #"{"a":10e-1}"#, #"{"a":0.1e1}"#, #"{"a":0.01E+02}"#,
            #"{"a":1.000e-0}"#, #"{"\u0061":1}"#, #"{"a":2,"a":1}"#,
            #"{"a":1\#(String(repeating: "0", count: 500))e-500}"#,
        ],
        [#"{"a":-1}"#, #"{"a":-10e-1}"#],
        [#"{"a":0}"#, #"{"a":-0}"#, #"{"a":0.000}"#, #"{"a":-0e99999999999999999999}"#],
        [#"{"a":100}"#, #"{"a":1e2}"#, #"{"a":0.1e+3}"#],
        [#"{"a":101}"#],
        [#"{"a":0.05}"#, #"{"a":5e-2}"#, #"{"a":50e-3}"#],
        [#"{"a":12.5}"#, #"{"a":125e-1}"#, #"{"a":1.25e1}"#],
        [#"{"a":1e999999999}"#, #"{"a":10e999999998}"#, #"{"a":0.1e1000000000}"#],
        [#"{"a":1e999999998}"#],
        [#"{"a":1e99999999999999999999}"#, #"{"a":10e99999999999999999998}"#, #"{"a":0.1e100000000000000000000}"#],
        [#"{"a":1e-99999999999999999999}"#, #"{"a":0.1e-99999999999999999998}"#, #"{"a":10e-100000000000000000000}"#],
        [#"{"a":1e100000000000000000000}"#, #"{"a":100e99999999999999999998}"#],
        [#"{"a":1e1000000000000000}"#, #"{"a":0.001e1000000000000003}"#, #"{"a":1000e999999999999997}"#],
        [#"{"a":9007199254740993}"#],
        [#"{"a":9007199254740992}"#],
        [#"{"a":0.1}"#],
        [#"{"a":0.1000000000000000055511151231257827021181583404541015625}"#],
        [#"{"a":"1"}"#, #"{"a":"\u0031"}"#],
        [#"{"a":true}"#], [#"{"a":false}"#], [#"{"a":null}"#], [#"{"a":"true"}"#],
        [#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, #"{ "b" : 2 , "a" : 1 }"#, #"{"b":3,"a":1,"b":2}"#],
        [#"{"a":1,"aa":"x","b":null}"#, #"{"aa":"x","b":null,"a":1}"#, #"{"a":1,"aa":"x","b": null}"#],
        [#"{"a":[1,2]}"#, #"{"a":[ 1.0 , 2 ]}"#], [#"{"a":[2,1]}"#], [#"{"a":[]}"#], [#"{"a":[[]]}"#], [#"{"a":{}}"#],
        [#"{"a":[12]}"#], [#"{"a":"12"}"#], [#"{"a":["1","2"]}"#], [#"{"a":"1,2"}"#],
        [#"{"a":{"x":1,"y":[{"q":1,"p":2}]}}"#, #"{"a":{"y":[{"p":2,"q":1}],"x":1}}"#],
        [#"{"a":"é"}"#, #"{"a":"\u00e9"}"#, #"{"a":"\u00E9"}"#],
        ["{\"a\":\"e\u{301}\"}", #"{"a":"e\u0301"}"#],
        [#"{"a":"👍"}"#, #"{"a":"\ud83d\udc4d"}"#],
        [#"{"a":"/"}"#, #"{"a":"\/"}"#],
        [#"{"a":"\n"}"#, #"{"a":"\u000a"}"#],
        [#"{"a":"\\n"}"#, #"{"a":"\u005cn"}"#],
        [#"{"a":"\""}"#, #"{"a":"\u0022"}"#],
        [#"{"":1}"#], [#"{"\u0000":1}"#],
        ["{\"é\":1}"], ["{\"e\u{301}\":1}"],
        ["{\"é\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"é\":1}"],
        [#"{"a":"a\",\"b\":1"}"#],
    ]

    @Test("Equal values have one canonical form", arguments: values)
    func equal(_ texts: [String]) throws {
        let forms = try texts.map { try Self.data($0).canonical }
        for form in forms { #expect(form == forms[0]) }
        // The canonical form is JSON of the same value, and its own canonical form.
        #expect(try Self.data(forms[0]).canonical == forms[0])
    }

    @Test("Different values have different canonical forms")
    func different() throws {
        let forms = try Self.values.map { try Self.data($0[0]).canonical }
        for (index, form) in forms.enumerated() {
            for other in forms.indices where other != index { #expect(form != forms[other]) }
        }
    }

    @Test("Whole numbers in random spellings compare as numbers")
    func randomNumbers() throws {
        var random = SeededGenerator(for: "randomNumbers")
        for _ in 0..<3_000 {
            let numbers = [0, 1].map { _ in
                (
                    digits: Int.random(in: -1_200...1_200, using: &random),
                    exponent: Int.random(in: -3...3, using: &random)
                )
            }
            // Exact, as all of these are multiples of a thousandth.
            let thousandths = numbers.map { number in
                (0..<(number.exponent + 3)).reduce(number.digits) { value, _ in value * 10 }
            }
            let forms = try numbers.map { number in
                let shift = number.digits == 0 ? 0 : Int.random(in: 0...4, using: &random)
                let zeros = String(repeating: "0", count: shift)
                return try Self.data(#"{"n":\#(number.digits)\#(zeros)e\#(number.exponent - shift)}"#).canonical
            }
            #expect((thousandths[0] == thousandths[1]) == (forms[0] == forms[1]), "\(numbers)")
        }
    }

    @Test("The text is what was sent, without white space between tokens")
    func text() throws {
        #expect(try Self.data("{ \"a b\\\" c\" :\n[ 1.50 ,\t\"x  y\" ] }").text == #"{"a b\" c":[1.50,"x  y"]}"#)
        let sent = #"{"z":1.0,"a":"\u00e9\/","z":1e5}"#
        #expect(try Self.data(sent).text == sent)
    }

    @Test(
        "What is no data",
        arguments: [
            "", "[]", "1", "{", "{} {}", #"{"a":"\ud800"}"#, "{\"a\":\"\(String(repeating: "x", count: 1_020))\"}",
        ])
    func refused(_ text: String) {
        #expect(throws: BadRequest.self) { try Self.data(text) }
    }

    @Test("Bytes that are not UTF-8 are no data")
    func notUTF8() {
        let bytes: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(throws: BadRequest.self) { try ReactionData.decode(bytes.span) }
    }
}
