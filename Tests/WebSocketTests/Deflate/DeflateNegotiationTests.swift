import Testing

@testable import WebSocket

/// What a server makes of an offer.
struct Offer: CustomTestStringConvertible, Sendable {
    var fields: [String]
    var settings = DeflateSettings()
    /// The answer's value; `nil`: declined.
    var answer: String?

    var testDescription: String { fields.joined(separator: " | ") }

    init(_ fields: String..., settings: DeflateSettings = DeflateSettings(), answer: String?) {
        self.fields = fields
        self.settings = settings
        self.answer = answer.map { "permessage-deflate" + $0 }
    }
}

private let small = DeflateSettings(windowBits: 10)
private let none = DeflateSettings(keepsOwnContext: false, keepsPeerContext: false)

let offers: [Offer] = [
    Offer("permessage-deflate", answer: ""),
    Offer("permessage-deflate; client_max_window_bits", answer: ""),
    Offer("permessage-deflate; client_max_window_bits=9", answer: "; client_max_window_bits=9"),
    Offer("permessage-deflate; client_max_window_bits=8", answer: "; client_max_window_bits=8"),
    Offer("permessage-deflate; client_max_window_bits=15", answer: ""),
    Offer("permessage-deflate; server_max_window_bits=15", answer: "; server_max_window_bits=15"),
    Offer("permessage-deflate; server_max_window_bits=9", answer: "; server_max_window_bits=9"),
    Offer("permessage-deflate; server_max_window_bits=\"12\"", answer: "; server_max_window_bits=12"),
    Offer("permessage-deflate; server_no_context_takeover", answer: "; server_no_context_takeover"),
    Offer("permessage-deflate; client_no_context_takeover", answer: "; client_no_context_takeover"),
    Offer(
        "permessage-deflate;client_no_context_takeover ; server_no_context_takeover;server_max_window_bits = 11",
        answer: "; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=11"),
    // The server may ask for more than was offered, save for the client's window.
    Offer("permessage-deflate", settings: none, answer: "; server_no_context_takeover; client_no_context_takeover"),
    // Of a client that cannot be told a smaller window, none is kept.
    Offer(
        "permessage-deflate", settings: small, answer: "; client_no_context_takeover; server_max_window_bits=10"),
    Offer(
        "permessage-deflate; client_max_window_bits", settings: small,
        answer: "; server_max_window_bits=10; client_max_window_bits=10"),
    Offer(
        "permessage-deflate; client_max_window_bits=9; server_max_window_bits=9", settings: small,
        answer: "; server_max_window_bits=9; client_max_window_bits=9"),
    // The first that can be taken, in one field or several.
    Offer("permessage-deflate; server_max_window_bits=8, permessage-deflate", answer: ""),
    Offer(
        "permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=13",
        answer: "; server_max_window_bits=13"),
    Offer("permessage-deflate; server_max_window_bits=10, permessage-deflate", answer: "; server_max_window_bits=10"),
    Offer(
        "x-other; a=1, , permessage-deflate; unknown, permessage-deflate; client_max_window_bits=10,",
        answer: "; client_max_window_bits=10"),
    // Declined.
    Offer("", answer: nil),
    Offer("x-webkit-deflate-frame", answer: nil),
    Offer("Permessage-Deflate", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=8", answer: nil),
    Offer("permessage-deflate; server_max_window_bits", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=7", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=16", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=09", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=1e1", answer: nil),
    Offer("permessage-deflate; server_max_window_bits=10; server_max_window_bits=10", answer: nil),
    Offer("permessage-deflate; client_max_window_bits=7", answer: nil),
    Offer("permessage-deflate; client_max_window_bits=16", answer: nil),
    Offer("permessage-deflate; client_max_window_bits=08", answer: nil),
    Offer("permessage-deflate; client_max_window_bits=99999999999999999999", answer: nil),
    Offer("permessage-deflate; client_max_window_bits; client_max_window_bits=10", answer: nil),
    Offer("permessage-deflate; server_no_context_takeover=1", answer: nil),
    Offer("permessage-deflate; client_no_context_takeover=true", answer: nil),
    Offer("permessage-deflate; server_no_context_takeover; server_no_context_takeover", answer: nil),
    Offer("permessage-deflate; client_no_context_takeover; client_no_context_takeover", answer: nil),
    Offer("permessage-deflate; unknown", answer: nil),
]

/// What a client makes of an answer.
struct Reply: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var settings: DeflateSettings
    var result: Result<DeflateParameters?, HandshakeError>

    init(
        _ fields: String, to settings: DeflateSettings = DeflateSettings(),
        _ result: Result<DeflateParameters?, HandshakeError>
    ) {
        (testDescription, self.settings, self.result) = (fields, settings, result)
    }
}

let replies: [Reply] = [
    Reply("", .success(nil)),
    Reply("permessage-deflate", .success(DeflateParameters())),
    Reply("permessage-deflate; server_no_context_takeover", .success(DeflateParameters(keepsPeerContext: false))),
    Reply("permessage-deflate; client_no_context_takeover", .success(DeflateParameters(keepsOwnContext: false))),
    Reply("permessage-deflate; server_max_window_bits=8", .success(DeflateParameters(peerWindowBits: 8))),
    Reply("permessage-deflate; client_max_window_bits=8", .success(DeflateParameters(ownWindowBits: 8))),
    Reply("permessage-deflate; client_max_window_bits=9", .success(DeflateParameters(ownWindowBits: 9))),
    Reply(
        "permessage-deflate; server_max_window_bits=10; client_max_window_bits=12", to: small,
        .success(DeflateParameters(ownWindowBits: 10, peerWindowBits: 10))),
    Reply(
        "permessage-deflate; server_no_context_takeover", to: none,
        .success(DeflateParameters(keepsOwnContext: false, keepsPeerContext: false))),
    // What was asked for must be granted.
    Reply("permessage-deflate", to: none, .failure(.invalidExtension)),
    Reply("permessage-deflate", to: small, .failure(.invalidExtension)),
    Reply("permessage-deflate; server_max_window_bits=11", to: small, .failure(.invalidExtension)),
    // What may not stand in an answer.
    Reply("permessage-deflate; client_max_window_bits", .failure(.invalidExtension)),
    Reply("permessage-deflate; server_max_window_bits", .failure(.invalidExtension)),
    Reply("permessage-deflate; server_max_window_bits=16", .failure(.invalidExtension)),
    Reply("permessage-deflate; client_max_window_bits=7", .failure(.invalidExtension)),
    Reply("permessage-deflate; server_no_context_takeover=1", .failure(.invalidExtension)),
    Reply(
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover", .failure(.invalidExtension)),
    Reply("permessage-deflate; unknown", .failure(.invalidExtension)),
    Reply("permessage-deflate, permessage-deflate", .failure(.unexpectedExtension)),
    Reply("x-other", .failure(.unexpectedExtension)),
    Reply("permessage-deflate;", .failure(.invalidExtension)),
]

@Suite("Negotiation of permessage-deflate (RFC 7692 sections 5 and 7.1)")
struct DeflateNegotiationTests {
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private func answer(_ fields: [String], _ settings: DeflateSettings?) -> ServerHandshake.Answer {
        let headers =
            [
                ("Host", "a"), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
                ("Sec-WebSocket-Version", "13"),
            ] + fields.map { ("Sec-WebSocket-Extensions", $0) }
        return ServerHandshake.answer(
            method: "GET", minorVersion: 1, headers: headers, subprotocols: [], deflate: settings)
    }

    @Test("A server takes the first offer that it can keep, and declines the others", arguments: offers)
    func offer(_ offer: Offer) throws {
        guard case .accept(let response, _, let deflate) = answer(offer.fields, offer.settings) else {
            Issue.record("not accepted")
            return
        }
        let lines = try #require(String(validating: response, as: UTF8.self)).split(separator: "\r\n" as Character)
        let field = lines.filter { $0.hasPrefix("Sec-WebSocket-Extensions: ") }.map { String($0.dropFirst(26)) }
        #expect(field == [offer.answer].compactMap(\.self))
        #expect((deflate == nil) == (offer.answer == nil))
    }

    @Test("What is in force at the server is what it has answered")
    func serverParameters() {
        let fields = [
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12; client_max_window_bits=9"
        ]
        guard case .accept(_, _, let deflate) = answer(fields, DeflateSettings(minimumBytes: 7, maxRatio: 9)) else {
            Issue.record("not accepted")
            return
        }
        #expect(
            deflate
                == DeflateParameters(
                    keepsOwnContext: false, ownWindowBits: 12, peerWindowBits: 9, minimumBytes: 7, maxRatio: 9))
    }

    @Test("A server that does not compress declines every offer")
    func off() {
        guard case .accept(let response, _, nil) = answer(["permessage-deflate"], nil) else {
            Issue.record("not accepted")
            return
        }
        #expect(!String(decoding: response, as: UTF8.self).contains("Extensions"))
    }

    @Test(
        "A field that is not as RFC 6455 section 9.1 wants it fails the handshake",
        arguments: [
            "permessage-deflate;", "permessage-deflate; =1", "permessage-deflate; a=", "permessage-deflate; a=\"1",
            "permessage-deflate; a=\"\"", "permessage-deflate; a=\"1 2\"", "permessage-deflate a", "a b", ";", "=",
            "a; b=\"\\", "\u{e9}", "a; b=\"\u{e9}\"", "a/b",
        ], [nil, DeflateSettings()])
    func malformed(field: String, settings: DeflateSettings?) {
        guard case .reject(400, _, _) = answer([field], settings) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(
        "A client offers what it wants",
        arguments: [
            (DeflateSettings(), "permessage-deflate; client_max_window_bits"),
            (small, "permessage-deflate; server_max_window_bits=10; client_max_window_bits"),
            (
                none,
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits"
            ),
        ])
    func clientOffer(settings: DeflateSettings, field: String) {
        let handshake = ClientHandshake(host: "a", path: "/", deflate: settings, nonce: Array(repeating: 0, count: 16))
        let request = String(decoding: handshake.request, as: UTF8.self)
        #expect(request.contains("\r\nSec-WebSocket-Extensions: \(field)\r\n"))
    }

    private func outcome(of field: String, to settings: DeflateSettings?) -> Result<DeflateParameters?, HandshakeError>
    {
        var handshake = ClientHandshake(
            host: "a", path: "/", deflate: settings, nonce: Array("the sample nonce".utf8))
        let line = field.isEmpty ? "" : "Sec-WebSocket-Extensions: \(field)\r\n"
        let response =
            "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\(line)\r\n"
        do throws(HandshakeError) {
            let consumed = try handshake.receive([UInt8](response).span)
            #expect(consumed == response.utf8.count)
            return .success(handshake.deflate)
        } catch {
            return .failure(error)
        }
    }

    @Test("A client takes an answer that goes with its offer, and fails the connection otherwise", arguments: replies)
    func reply(_ reply: Reply) {
        #expect(outcome(of: reply.testDescription, to: reply.settings) == reply.result)
    }

    @Test("A client that offered nothing takes no extension")
    func unasked() {
        #expect(outcome(of: "permessage-deflate", to: nil) == .failure(.unexpectedExtension))
    }

    @Test("A window outside of 9 to 15 is brought to the nearer end", arguments: [(8, 9), (-3, 9), (16, 15), (12, 12)])
    func window(given: Int, taken: Int) {
        var settings = DeflateSettings(windowBits: given)
        #expect(settings.windowBits == taken)
        settings.windowBits = given
        #expect(settings.windowBits == taken)
    }
}
