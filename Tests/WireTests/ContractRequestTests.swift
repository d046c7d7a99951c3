import Reactions
import Testing
import Wire

/// Every request that PROTOCOL.md shows, as the contract writes it.
struct ContractRequestTests {
    static func operation(
        _ action: Operation.Action, message: String = "m1", key: String? = nil
    ) -> Request.Body {
        .operation(channel: "chat:42", message: message, action: action, key: key)
    }

    static let source = ReactionData(text: #"{"source":"ios"}"#, canonical: #"{"source":"ios"}"#)

    static let examples: [(String, Request)] = [
        (#"{"type":"auth","id":1,"token":"JWT"}"#, Request(id: .number(1), .auth(token: "JWT"))),
        (
            #"{"type":"subscribe","id":2,"channel":"chat:42","mode":"events","messages":["m1","m2"],"#
                + #""since":{"epoch":"e1","seq":17}}"#,
            Request(
                id: .number(2),
                .subscribe(
                    .init(channel: "chat:42", messages: ["m1", "m2"], since: Position(epoch: "e1", seq: 17))))
        ),
        (
            #"{"type":"watch","id":3,"channel":"chat:42","messages":["m2","m3"]}"#,
            Request(id: .number(3), .watch(channel: "chat:42", messages: ["m2", "m3"]))
        ),
        (
            #"{"type":"unsubscribe","id":4,"channel":"chat:42"}"#,
            Request(id: .number(4), .unsubscribe(channel: "chat:42"))
        ),
        (
            #"{"type":"add","id":5,"channel":"chat:42","message":"m1","reaction":"👍","key":"3f9c","#
                + #""data":{"source":"ios"}}"#,
            Request(id: .number(5), operation(.add(reaction: "👍", count: nil, data: source), key: "3f9c"))
        ),
        (
            #"{"type":"set","id":5,"channel":"chat:42","message":"m1","reactions":["❤️"],"key":"k"}"#,
            Request(id: .number(5), operation(.set(reactions: ["❤️"]), key: "k"))
        ),
        (
            #"{"type":"clear","id":6,"channel":"chat:42","message":"m1","reaction":"👎","user":"mallory"}"#,
            Request(id: .number(6), operation(.clear(reaction: "👎", user: "mallory")))
        ),
        (
            #"{"type":"delete","id":6,"channel":"chat:42","message":"m1"}"#,
            Request(id: .number(6), operation(.delete))
        ),
        (
            #"{"type":"freeze","id":6,"channel":"chat:42","frozen":true}"#,
            Request(id: .number(6), operation(.freeze(true), message: ""))
        ),
        (
            #"{"type":"reactors","id":7,"channel":"chat:42","message":"m1","reaction":"👍","limit":50,"after":"c"}"#,
            Request(
                id: .number(7),
                .reactors(channel: "chat:42", message: "m1", reaction: "👍", limit: 50, after: "c"))
        ),
        (
            #"{"type":"list","id":8,"channel":"chat:42","messages":["m1"]}"#,
            Request(id: .number(8), .list(channel: "chat:42", .messages(["m1"])))
        ),
        (
            #"{"type":"list","id":8,"channel":"chat:42","limit":100,"after":"c"}"#,
            Request(id: .number(8), .list(channel: "chat:42", .page(limit: 100, after: "c")))
        ),
        (#"{"type":"ping","id":9}"#, Request(id: .number(9), .ping)),
    ]

    @Test("Every request of section 3 is read", arguments: examples)
    func reads(_ example: String, _ request: Request) throws {
        #expect(try decode(example) == request)
    }

    @Test("Every request of section 3 is written as the contract writes it", arguments: examples)
    func writes(_ example: String, _ request: Request) {
        #expect(text(request) == example)
    }

    @Test("What is left out has the contract's default")
    func defaults() throws {
        let channel = #""channel":"chat:42""#
        #expect(
            try decode(#"{"type":"subscribe",\#(channel)}"#)
                == Request(.subscribe(.init(channel: "chat:42", mode: .events, messages: nil, since: nil))))
        #expect(
            try decode(#"{"type":"list",\#(channel)}"#)
                == Request(.list(channel: "chat:42", .page(limit: 50, after: nil))))
        #expect(
            try decode(#"{"type":"reactors",\#(channel)}"#)
                == Request(.reactors(channel: "chat:42", message: "", reaction: nil, limit: 50, after: nil)))
        #expect(
            try decode(#"{"type":"remove",\#(channel),"reaction":"x"}"#)
                == Request(Self.operation(.remove(reaction: "x", count: nil), message: "")))
    }

    @Test("null in after, since and messages is as if left out")
    func nulls() throws {
        let channel = #""channel":"chat:42""#
        #expect(
            try decode(#"{"type":"subscribe",\#(channel),"messages":null,"since":null}"#)
                == Request(.subscribe(.init(channel: "chat:42"))))
        #expect(
            try decode(#"{"type":"list",\#(channel),"messages":null,"after":null}"#)
                == Request(.list(channel: "chat:42", .page(limit: 50, after: nil))))
        #expect(
            try decode(#"{"type":"reactors",\#(channel),"after":null}"#)
                == Request(.reactors(channel: "chat:42", message: "", reaction: nil, limit: 50, after: nil)))
    }

    @Test("The other fields and modes are read")
    func otherFields() throws {
        #expect(
            try decode(#"{"type":"subscribe","channel":"c","mode":"summary","occupancy":true,"messages":[]}"#)
                == Request(.subscribe(.init(channel: "c", mode: .summary, messages: [], occupancy: true))))
        #expect(
            try decode(#"{"type":"toggle","channel":"chat:42","message":"m1","reaction":"a","count":7}"#)
                == Request(Self.operation(.toggle(reaction: "a", count: 7, data: nil))))
        #expect(
            try decode(#"{"type":"remove","channel":"chat:42","message":"m1","reaction":"a","count":1000}"#)
                == Request(Self.operation(.remove(reaction: "a", count: 1_000))))
        #expect(
            try decode(#"{"type":"clear","channel":"chat:42","message":"*","user":"u"}"#)
                == Request(Self.operation(.clear(reaction: nil, user: "u"), message: "*")))
        #expect(
            try decode(#"{"type":"delete","channel":"chat:42","message":""}"#)
                == Request(Self.operation(.delete, message: "")))
    }

    @Test("What is named twice counts once, in the order of the first")
    func namedTwice() throws {
        #expect(
            try decode(#"{"type":"watch","channel":"c","messages":["b","a","b","","a",""]}"#)
                == Request(.watch(channel: "c", messages: ["b", "a", ""])))
        #expect(
            try decode(#"{"type":"set","channel":"chat:42","message":"m1","reactions":["b","a","b"]}"#)
                == Request(Self.operation(.set(reactions: ["b", "a"]))))
    }

    @Test("At most 1,000 messages, of which those named twice count once")
    func manyMessages() throws {
        func watch(_ names: [String]) -> String {
            #"{"type":"watch","channel":"c","messages":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        }
        let thousand = (1...1_000).map { "m\($0)" }
        #expect(try decode(watch(thousand + thousand)) == Request(.watch(channel: "c", messages: thousand)))
        #expect(refusal(watch(thousand + ["one-more"])) != nil)
    }

    @Test("Escaped strings are the plain ones, in names and in values")
    func escapes() throws {
        #expect(
            try decode(#"{"\u0074ype":"\u0070\u0069ng","\u0069d":"\u00e9\ud83d\udc4d\n"}"#)
                == Request(id: .text("é👍\n"), .ping))
        #expect(
            try decode(
                #"{"type":"add","channel":"\u0063hat\u003a42","message":"\u006D1","reaction":"\uD83d\uDC4D","k\u0065y":"a\/b"}"#
            ) == Request(Self.operation(.add(reaction: "👍", count: nil, data: nil), key: "a/b")))
        // A name is a field's only when all of it is: not with a NUL before it.
        #expect(refusal(#"{"\u0000type":"ping"}"#)?.reason == "type: missing")
    }

    @Test("Fields of other types and unknown ones are ignored, whatever they hold")
    func unknownFields() throws {
        #expect(
            try decode(
                #"{"x":[{"x":1,"x":2},null,1e5,-0.0],"type":"ping","channel":5,"data":[],"messages":"","id":"a","limit":null}"#
            ) == Request(id: .text("a"), .ping))
        #expect(
            try decode(#"{"type":"freeze","channel":"chat:42","frozen":false,"key":5,"message":6}"#)
                == Request(Self.operation(.freeze(false), message: "")))
    }

    @Test("White space is allowed between all tokens")
    func whiteSpace() throws {
        #expect(
            try decode(" \t\r\n{ \"type\" \n:\t\"ping\" ,\r\"id\" : 3 } \n") == Request(id: .number(3), .ping))
    }

    @Test("Whole numbers: -0 is 0, and the largest is 2^53-1")
    func wholeNumbers() throws {
        #expect(try decode(#"{"type":"ping","id":-0}"#) == Request(id: .number(0), .ping))
        #expect(try decode(#"{"type":"ping","id":9007199254740991}"#) == Request(id: .number((1 << 53) - 1), .ping))
        #expect(
            try decode(#"{"type":"subscribe","channel":"c","since":{"seq":-0,"epoch":""}}"#)
                == Request(.subscribe(.init(channel: "c", since: Position(epoch: "", seq: 0)))))
    }

    @Test("data is kept without white space between tokens, its digits and strings as they were")
    func data() throws {
        let request = try decode(
            #"{"type":"add","channel":"c","reaction":"x","data":{ "b" : [1.0, "a b\n\""],"# + "\n" + #""a":1e2} }"#)
        guard case .operation(_, _, .add(_, _, let data?), _) = request.body else {
            Issue.record("no data in \(request)")
            return
        }
        #expect(data.text == #"{"b":[1.0,"a b\n\""],"a":1e2}"#)
        #expect(data.canonical == #"{"a":1e2,"b":[1,"a b\u000a\u0022"]}"#)
    }
}
