import Testing
import Wire

/// What is `bad_request`, by the rules of PROTOCOL.md sections 1, 2 and 8: whether the text counts as malformed, and
/// whether its id is known.
struct BadRequestTests {
    @Test(
        "Not JSON at all: malformed, without an id",
        arguments: [
            "", " ", "{", "}", "[", "{}}", "{} {}", "nul", "tru", "falsy", "nulll", "'a'", "{type:1}", "\u{FEFF}{}",
            #"\u{FEFF}{"type":"ping"}"#, #"{"type":"ping","id":1,}"#, #"{"type":"ping","id":01}"#, #"{"id":1,"a":+1}"#,
            #"{"id":1,"a":.5}"#, #"{"id":1,"a":1.}"#, #"{"id":1,"a":1e}"#, #"{"id":1,"a":-}"#, #"{"id":1,"a":-01}"#,
            #"{"id":1,"a":1e+}"#, #"{"id":1,"a":0x10}"#, #"{"id":1,"a":NaN}"#, #"{"id":1,"a":Infinity}"#,
            #"{"id":1,"a":[1,]}"#, #"{"id":1,"a":[,1]}"#, #"{"id":1,"a":[1 2]}"#, #"{"id":1,"a":}"#, #"{"id":1,"a"}"#,
            #"{"id":1,,"a":1}"#, #"{"id":1 "a":1}"#, #"{"id":1,"a":"}"#, #"{"id":1,"a":"\x"}"#, #"{"id":1,"a":"\u12"}"#,
            #"{"id":1,"a":"\u12G4"}"#, #"{"id":1,"a":"\ud800\u12"}"#, "{\"id\":1,\"a\":\"\n\"}",
            "{\"id\":1,\"a\":\"\t\"}",
            "{\"id\":1,\"a\":\"\\\n\"}", "{\"id\":1}\u{0}", "{\"id\":1,\u{A0}\"a\":1}", "{\"id\":1,\u{B}\"a\":1}",
            "{\"id\":1}//", "/**/{\"id\":1}", #"{"id":1,"a":TRUE}"#, #"{"id":1,"a":"\U0041"}"#, #"{"id":1,1:2}"#,
            #"{"id":1,"a":[1}"#, #"{"id":1,"a":{]}"#, #"{"id":1"#, #"{"id":1,"type":"ping"#, #"{"id":1,"type"#,
        ])
    func notJSON(_ text: String) {
        let error = refusal(text)
        #expect(error?.isMalformed == true)
        #expect(error?.id == nil)
    }

    @Test(
        "JSON, but not an object: not malformed",
        arguments: ["[]", "1", " -0.5e7 ", #""ping""#, "true", "false", "null", #"[{"type":"ping","id":1}]"#])
    func notAnObject(_ text: String) {
        #expect(refusal(text) == BadRequest(reason: "not an object"))
    }

    @Test("More than 32 levels are too deep, which counts as not JSON", arguments: ["[]", #"{"":{}}"#, "mixed"])
    func tooDeep(_ kind: String) {
        func nested(_ levels: Int) -> String {
            switch kind {
            case "[]": String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            case "mixed":
                String(repeating: #"[{"a":"#, count: levels / 2) + (levels % 2 == 0 ? "1" : "[]")
                    + String(repeating: "}]", count: levels / 2)
            default:
                String(repeating: #"{"":"#, count: levels - 1) + "{}" + String(repeating: "}", count: levels - 1)
            }
        }
        #expect(refusal(#"{"type":"ping","x":\#(nested(31))}"#) == nil)
        let error = refusal(#"{"type":"ping","id":1,"x":\#(nested(32))}"#)
        #expect(error == BadRequest(reason: "nested too deeply", isMalformed: true))
        #expect(refusal(#"{"type":"ping","id":1,"x":\#(nested(20_000))}"#)?.isMalformed == true)
    }

    @Test("32 levels without an object are read to the end")
    func deepArrays() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(refusal(nested(32)) == BadRequest(reason: "not an object"))
        #expect(refusal(nested(33))?.isMalformed == true)
    }

    @Test(
        "A name twice in the top object keeps the id, unless it is the id",
        arguments: [
            (#"{"type":"ping","type":"ping","id":7}"#, RequestID.number(7)),
            (#"{"x":1,"type":"ping","id":7,"x":1}"#, .number(7)),
            (#"{"":1,"type":"ping","id":7,"":1}"#, .number(7)),
            (#"{"x":1,"type":"ping","id":7,"\u0078":1}"#, .number(7)),
            (#"{"type":"ping","id":7,"\u0074ype":"ping"}"#, .number(7)),
            (#"{"type":"ping","key":1,"id":"a","key":1}"#, .text("a")),
            (#"{"type":"ping","id":7,"id":7}"#, nil),
            (#"{"type":"ping","id":7,"type":"ping","i\u0064":8}"#, nil),
        ] as [(String, RequestID?)])
    func nameTwice(_ text: String, _ id: RequestID?) {
        #expect(refusal(text) == BadRequest(id: id, reason: "a name twice"))
    }

    @Test("Names that Swift takes for equal but that differ are not one name twice")
    func composedNames() throws {
        #expect(try decode("{\"type\":\"ping\",\"\u{E9}\":1,\"e\u{301}\":1}") == Request(.ping))
    }

    @Test(
        "A lone surrogate anywhere is bad_request with the id, and not malformed",
        arguments: [
            #""x":"\ud800""#, #""x":"\udc00""#, #""x":"\ud800\ud800""#, #""x":"\ud800\ud83d\udc4d""#,
            #""x":"\ud800x""#, #""x":"\ud83d\udc4d\udc4d""#, #""\ud800":1"#, #""x":[{"\udfff":1}]"#,
            #""x":"\uD83D\n""#, #""x":"\ud83d\u0041""#, #""channel":"\ud800""#, #""x":["a","\ud800"]"#,
        ])
    func loneSurrogate(_ member: String) {
        let expected = BadRequest(id: .number(7), reason: "a lone surrogate")
        #expect(refusal(#"{"type":"ping",\#(member),"id":7}"#) == expected)
        #expect(refusal(#"{"id":7,"type":"ping",\#(member)}"#) == expected)
    }

    @Test("An id with a lone surrogate is no id")
    func loneSurrogateInID() {
        let error = refusal(#"{"type":"ping","id":"a\ud800"}"#)
        #expect(error?.id == nil)
        #expect(error?.isMalformed == false)
    }

    @Test("A pair of surrogates is a character")
    func pairs() throws {
        #expect(try decode(#"{"type":"ping","x":"\ud83d\udc4d\uD83D\uDC4D"}"#) == Request(.ping))
    }

    @Test(
        "An invalid id is bad_request without an id",
        arguments: [
            "null", "true", "{}", "[]", "1.0", "1e2", "0.0", "-1", "-0.0", "9007199254740992", "18446744073709551616",
            "99999999999999999999999999999999", #""""#, "\"" + String(repeating: "a", count: 65) + "\"",
            "\"" + String(repeating: "é", count: 33) + "\"",
        ])
    func invalidID(_ id: String) {
        let error = refusal(#"{"type":"ping","id":\#(id)}"#)
        #expect(error?.isMalformed == false)
        #expect(error != nil && error?.id == nil)
    }

    @Test(
        "A valid id is kept, also where the error stands before it",
        arguments: [
            (#""a""#, .text("a")), (#""\u0000""#, .text("\u{0}")), ("0", .number(0)),
            ("\"" + String(repeating: "é", count: 32) + "\"", .text(String(repeating: "é", count: 32))),
            ("9007199254740991", .number(9_007_199_254_740_991)),
        ] as [(String, RequestID)])
    func keptID(_ id: String, _ expected: RequestID) {
        #expect(refusal(#"{"type":"dance","id":\#(id)}"#) == BadRequest(id: expected, reason: "type: unknown"))
        #expect(refusal(#"{"id":\#(id),"type":5}"#) == BadRequest(id: expected, reason: "type: of the wrong kind"))
        #expect(refusal(#"{"id":\#(id)}"#) == BadRequest(id: expected, reason: "type: missing"))
    }

    static let long = String(repeating: "x", count: 129)

    @Test(
        "A field missing, of the wrong kind or out of range",
        arguments: [
            (#""type":"auth""#, "token: missing"),
            (#""type":"auth","token":5"#, "token: of the wrong kind"),
            (#""type":"auth","token":null"#, "token: of the wrong kind"),
            (#""type":"unsubscribe""#, "channel: missing"),
            (#""type":"unsubscribe","channel":null"#, "channel: of the wrong kind"),
            (#""type":"unsubscribe","channel":"""#, "channel: out of range"),
            (#""type":"unsubscribe","channel":"a b""#, "channel: out of range"),
            (#""type":"unsubscribe","channel":"a\u007f""#, "channel: out of range"),
            (#""type":"unsubscribe","channel":"é""#, "channel: out of range"),
            (#""type":"unsubscribe","channel":"\#(long)\#(long)""#, "channel: out of range"),
            (#""type":"subscribe","channel":"c","mode":"both""#, "mode: out of range"),
            (#""type":"subscribe","channel":"c","mode":null"#, "mode: of the wrong kind"),
            (#""type":"subscribe","channel":"c","occupancy":1"#, "occupancy: of the wrong kind"),
            (#""type":"subscribe","channel":"c","occupancy":null"#, "occupancy: of the wrong kind"),
            (#""type":"subscribe","channel":"c","messages":"m""#, "messages: of the wrong kind"),
            (#""type":"subscribe","channel":"c","messages":[1]"#, "messages: of the wrong kind"),
            (#""type":"subscribe","channel":"c","messages":[null]"#, "messages: of the wrong kind"),
            (#""type":"subscribe","channel":"c","messages":["-"]"#, "messages: out of range"),
            (#""type":"subscribe","channel":"c","messages":["*"]"#, "messages: out of range"),
            (#""type":"subscribe","channel":"c","since":[]"#, "since: of the wrong kind"),
            (#""type":"subscribe","channel":"c","since":{}"#, "epoch: missing"),
            (#""type":"subscribe","channel":"c","since":{"epoch":"e"}"#, "seq: missing"),
            (#""type":"subscribe","channel":"c","since":{"epoch":1,"seq":1}"#, "epoch: of the wrong kind"),
            (#""type":"subscribe","channel":"c","since":{"epoch":"e","seq":1.0}"#, "seq: of the wrong kind"),
            (#""type":"subscribe","channel":"c","since":{"epoch":"e","seq":null}"#, "seq: of the wrong kind"),
            (#""type":"subscribe","channel":"c","since":{"epoch":"e","seq":9007199254740992}"#, "seq: out of range"),
            (#""type":"watch","channel":"c""#, "messages: missing"),
            (#""type":"watch","channel":"c","messages":null"#, "messages: missing"),
            (#""type":"add","channel":"c""#, "reaction: missing"),
            (#""type":"remove","channel":"c""#, "reaction: missing"),
            (#""type":"toggle","channel":"c""#, "reaction: missing"),
            (#""type":"add","channel":"c","reaction":null"#, "reaction: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":["a"]"#, "reaction: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","message":null"#, "message: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","message":1"#, "message: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","message":"-""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":".""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":"..""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":"*""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":"\u002a""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":" ""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","message":"\#(long)""#, "message: out of range"),
            (#""type":"add","channel":"c","reaction":"a","key":"""#, "key: out of range"),
            (#""type":"add","channel":"c","reaction":"a","key":5"#, "key: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","key":null"#, "key: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","key":"a b""#, "key: out of range"),
            (#""type":"add","channel":"c","reaction":"a","key":"\#(long.dropLast(64))""#, "key: out of range"),
            (#""type":"add","channel":"c","reaction":"a","count":0"#, "count: out of range"),
            (#""type":"add","channel":"c","reaction":"a","count":-0"#, "count: out of range"),
            (#""type":"add","channel":"c","reaction":"a","count":1001"#, "count: out of range"),
            (#""type":"add","channel":"c","reaction":"a","count":1.0"#, "count: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","count":1e2"#, "count: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","count":-5"#, "count: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","count":"1""#, "count: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","count":null"#, "count: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","data":null"#, "data: of the wrong kind"),
            (#""type":"add","channel":"c","reaction":"a","data":[]"#, "data: of the wrong kind"),
            (#""type":"remove","channel":"c","reaction":"a","data":"x""#, "data: of the wrong kind"),
            (#""type":"set","channel":"c""#, "reactions: missing"),
            (#""type":"set","channel":"c","reactions":null"#, "reactions: of the wrong kind"),
            (#""type":"set","channel":"c","reactions":"a""#, "reactions: of the wrong kind"),
            (#""type":"set","channel":"c","reactions":["a",1]"#, "reactions: of the wrong kind"),
            (#""type":"clear","channel":"c","user":"""#, "user: out of range"),
            (#""type":"clear","channel":"c","user":null"#, "user: of the wrong kind"),
            (#""type":"clear","channel":"c","user":"\#(long)""#, "user: out of range"),
            (#""type":"clear","channel":"c","reaction":1"#, "reaction: of the wrong kind"),
            (#""type":"clear","channel":"c","message":"*""#, "user: missing"),
            (#""type":"clear","channel":"c","message":"-","user":"u""#, "message: out of range"),
            (#""type":"delete","channel":"c","message":"*""#, "message: out of range"),
            (#""type":"freeze","channel":"c""#, "frozen: missing"),
            (#""type":"freeze","channel":"c","frozen":"true""#, "frozen: of the wrong kind"),
            (#""type":"freeze","channel":"c","frozen":null"#, "frozen: of the wrong kind"),
            (#""type":"reactors","channel":"c","limit":0"#, "limit: out of range"),
            (#""type":"reactors","channel":"c","limit":101"#, "limit: out of range"),
            (#""type":"reactors","channel":"c","limit":null"#, "limit: of the wrong kind"),
            (#""type":"reactors","channel":"c","after":5"#, "after: of the wrong kind"),
            (#""type":"reactors","channel":"c","reaction":null"#, "reaction: of the wrong kind"),
            (#""type":"list","channel":"c","limit":1e1"#, "limit: of the wrong kind"),
            (#""type":"list","channel":"c","after":{}"#, "after: of the wrong kind"),
            (#""type":"list","channel":"c","messages":{}"#, "messages: of the wrong kind"),
        ])
    func field(_ members: String, _ reason: String) {
        let expected = BadRequest(id: .text("q"), reason: reason)
        #expect(refusal(#"{\#(members),"id":"q"}"#) == expected)
    }

    @Test("Names may be as long as the contract says, and data 1,024 bytes as sent")
    func atTheBounds() {
        func add(channel: Int = 1, message: Int = 1, key: Int = 1, data: Int = 8) -> BadRequest? {
            func text(_ count: Int) -> String { String(repeating: "~", count: count) }
            return refusal(
                #"{"type":"add","channel":"\#(text(channel))","message":"\#(text(message))","key":"\#(text(key))","#
                    + #""reaction":"","data":{"a":"\#(String(repeating: " ", count: data - 8))"}}"#)
        }
        #expect(add(channel: 200, message: 128, key: 64, data: 1_024) == nil)
        #expect(add(channel: 201)?.reason == "channel: out of range")
        #expect(add(message: 129)?.reason == "message: out of range")
        #expect(add(key: 65)?.reason == "key: out of range")
        #expect(add(data: 1_025)?.reason == "data: out of range")
    }

    @Test(
        "An error names the request's channel, where it has a valid one",
        arguments: [
            (#"{"type":"add","id":1,"channel":"chat:42"}"#, "chat:42"),
            (#"{"type":"dance","channel":"chat:42"}"#, "chat:42"),
            (#"{"id":null,"type":"add","channel":"chat:42"}"#, "chat:42"),
            (#"{"x":"\ud800","type":"add","channel":"chat:42"}"#, "chat:42"),
            (#"{"x":1,"x":1,"type":"add","channel":"\u0063"}"#, "c"), (#"{"type":"add","channel":"a b"}"#, nil),
            (#"{"type":"add","channel":null}"#, nil), (#"{"type":"add","channel":"c""#, nil), ("[]", nil),
        ] as [(String, String?)])
    func channel(_ text: String, _ channel: String?) {
        let error = #expect(throws: BadRequest.self) { try decode(text) }
        #expect(error?.channel == channel)
    }
}
