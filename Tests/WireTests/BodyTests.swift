import Foundation
import Reactions
import Testing
import Wire

/// What goes over HTTP instead of messages (PROTOCOL.md section 10), and the tables that go with it.
struct BodyTests {
    static func reactionBody(_ text: String) throws(BadRequest) -> ReactionBody {
        try ReactionBody.decode(Array(text.utf8).span)
    }

    static func reactionsBody(_ text: String) throws(BadRequest) -> ReactionsBody {
        try ReactionsBody.decode(Array(text.utf8).span)
    }

    @Test("The body of an add may be left out, and each of its fields")
    func reactionBodies() throws {
        let data = ReactionData(text: #"{"a":1.0}"#, canonical: #"{"a":1}"#)
        #expect(try Self.reactionBody("") == ReactionBody())
        #expect(try Self.reactionBody("{}") == ReactionBody())
        #expect(try Self.reactionBody(#"{"count":7,"x":null}"#) == ReactionBody(count: 7))
        #expect(try Self.reactionBody(#"{"data":{"a": 1.0},"count":1000}"#) == ReactionBody(data: data, count: 1_000))
    }

    @Test("The body of a set names its reactions")
    func reactionsBodies() throws {
        #expect(try Self.reactionsBody(#"{"reactions":[]}"#) == ReactionsBody(reactions: []))
        #expect(try Self.reactionsBody(#"{"reactions":["👍","x","👍"]}"#) == ReactionsBody(reactions: ["👍", "x"]))
    }

    @Test(
        "A body is read as strictly as a request",
        arguments: [
            (" ", true), ("{", true), ("[]", false), ("null", false), (#"{"reactions":[],"reactions":[]}"#, false),
            (#"{"reactions":[],"x":"\ud800"}"#, false), (#"{"reactions":null,"data":null}"#, false),
            (#"{"reactions":[1],"count":1.0}"#, false), (#"{"reactions":"a","count":0}"#, false),
        ])
    func refused(_ text: String, _ isMalformed: Bool) {
        let errors = [
            #expect(throws: BadRequest.self) { try Self.reactionBody(text) },
            #expect(throws: BadRequest.self) { try Self.reactionsBody(text) },
        ]
        for error in errors {
            #expect(error?.isMalformed == isMalformed)
            #expect(error?.id == nil)
        }
    }

    @Test("Bytes that are not UTF-8 are not JSON, wherever they are")
    func notUTF8() {
        let bytes: [UInt8] = Array(#"{"reactions":[],"x":""#.utf8) + [0xC0, 0x80] + Array("\"}".utf8)
        #expect(throws: BadRequest(reason: "not JSON", isMalformed: true)) { try ReactionBody.decode(bytes.span) }
        #expect(throws: BadRequest(reason: "not JSON", isMalformed: true)) { try ReactionsBody.decode(bytes.span) }
    }

    @Test("An error's body")
    func errorBody() {
        var bytes: [UInt8] = []
        ErrorBody(code: .methodNotAllowed, message: "no \"such\" method").append(to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"code":"method_not_allowed","message":"no \"such\" method"}"#)
    }

    @Test("A message over HTTP is a SUMMARY plus channel, epoch and seq; a bare one has total 0")
    func documents() {
        func text(_ summary: Summary) -> String {
            var bytes: [UInt8] = []
            MessageDocument(channel: "c:1", epoch: "e", seq: 7, summary: summary, isCounted: true).append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(
            text(Summary(message: "m", total: 0, groups: [], own: nil))
                == #"{"channel":"c:1","epoch":"e","seq":7,"message":"m","total":0,"reactions":[]}"#)
        let clap = Reaction(canonical: "👏")
        #expect(
            text(
                Summary(
                    message: "m", total: 3,
                    groups: [.init(reaction: clap, count: 3, users: 1, first: 1, last: 2, latest: ["u"])],
                    own: [OwnReaction(reaction: clap, count: 3)]))
                == #"{"channel":"c:1","epoch":"e","seq":7,"message":"m","total":3,"reactions":[{"reaction":"👏","#
                + #""count":3,"users":1,"first":1,"last":2,"latest":["u"]}],"own":["👏"],"own_counts":{"👏":3}}"#)
    }

    @Test(
        "The table of section 8: codes and their statuses",
        arguments: [
            ("bad_request", 400), ("unauthorized", 401), ("forbidden", 403), ("key_reused", 409),
            ("invalid_reaction", 422), ("reaction_not_allowed", 422), ("frozen", 409), ("message_deleted", 409),
            ("too_many_reactions", 409), ("rate_limited", 429), ("unknown_cursor", 400), ("unavailable", 503),
            ("not_found", 404), ("method_not_allowed", 405), ("too_large", 413),
        ])
    func statuses(_ word: String, _ status: Int) {
        #expect(ErrorCode(rawValue: word)?.httpStatus == status)
    }

    @Test(
        "A ledger's refusal has its code",
        arguments: [
            (.badRequest("x"), "bad_request"), (.keyReused, "key_reused"), (.invalidReaction, "invalid_reaction"),
            (.reactionNotAllowed, "reaction_not_allowed"), (.frozen, "frozen"), (.messageDeleted, "message_deleted"),
            (.tooManyReactions("x"), "too_many_reactions"),
        ] as [(Refusal, String)])
    func refusals(_ refusal: Refusal, _ word: String) {
        #expect(ErrorCode(refusal).rawValue == word)
    }

    @Test("Shapes of names outside messages")
    func shapes() {
        #expect(Shape.isChannel("chat:42") && Shape.isChannel("-") && !Shape.isChannel(""))
        #expect(Shape.isMessage("m1") && Shape.isMessage("...") && Shape.isMessage("--") && Shape.isMessage("~!"))
        for reserved in ["", "-", ".", "..", "*", " ", "é", "a\u{7F}"] { #expect(!Shape.isMessage(reserved)) }
        for (isName, bytes) in [
            (Shape.isChannel, 200), (Shape.isMessage, 128), (Shape.isUser, 128), (Shape.isKey, 64),
        ] {
            #expect(isName(String(repeating: "!", count: bytes)))
            #expect(!isName(String(repeating: "!", count: bytes + 1)))
        }
    }
}
