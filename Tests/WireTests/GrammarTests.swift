import Foundation
import Reactions
import TestSupport
import Testing
import Wire

/// Thousands of texts, whole and broken, against a plain model and against Foundation.
struct GrammarTests {
    @Test("Requests are taken and refused as RFC 8259 and section 2 say")
    func againstModel() {
        var generator = JSONTextGenerator(random: SeededGenerator(for: "againstModel"))
        var outcomes: [String: Int] = [:]
        for round in 0..<12_000 {
            let whole = generator.ping()
            let text = round.isMultiple(of: 2) ? whole : generator.mutated(whole)
            let outcome: Result<Request, BadRequest>
            do throws(BadRequest) {
                outcome = .success(try decode(text))
            } catch {
                outcome = .failure(BadRequest(id: error.id, reason: "", isMalformed: error.isMalformed))
            }
            #expect(outcome == JSONModel.verdict(text), "\(text.debugDescription)")
            switch outcome {
            case .success: outcomes["taken", default: 0] += 1
            case .failure(let error): outcomes[error.isMalformed ? "malformed" : "bad", default: 0] += 1
            }
        }
        // Each outcome is met often enough for the comparison to mean something.
        for outcome in ["taken", "malformed", "bad"] { #expect(outcomes[outcome, default: 0] > 1_000) }
    }

    @Test("What Foundation calls JSON is what we call JSON")
    func againstFoundation() {
        var generator = JSONTextGenerator(random: SeededGenerator(for: "againstFoundation"))
        for round in 0..<6_000 {
            let whole = generator.value(depth: 2)
            let text = round.isMultiple(of: 2) ? whole : generator.mutated(whole)
            guard !hasKnownDifference(text) else { continue }
            let theirs = (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            #expect(theirs == (refusal(text)?.isMalformed != true), "\(text.debugDescription)")
        }
    }

    /// Where Foundation is no judge of RFC 8259; the model covers these texts.
    ///
    /// It skips a byte-order mark, guesses UTF-16 from NUL bytes, takes a comma after the last element, refuses lone
    /// surrogates and exponents beyond a `Double`'s, and knows no bound of 32 levels.
    private func hasKnownDifference(_ text: String) -> Bool {
        text.hasPrefix("\u{FEFF}") || text.unicodeScalars.contains("\0")
            || text.contains(/,\s*[\]}]/) || text.contains(/[eE]\+?[0-9]{3}/)
            || (try? JSONModel.parse(text))?.hasLoneSurrogate == true
            || text.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } > 24
    }

    @Test("No bytes trap, and an error is always one of the two kinds")
    func randomBytes() throws {
        var random = SeededGenerator(for: "randomBytes")
        var generator = JSONTextGenerator(random: random)
        let samples =
            ContractRequestTests.examples.map(\.0) + ContractMessageTests.replies.map(\.0)
            + ContractMessageTests.events.map(\.0) + ContractMessageTests.connecting.map(\.0)
        for round in 0..<20_000 {
            var bytes: [UInt8]
            switch round % 3 {
            case 0: bytes = random.several(60) { UInt8.random(in: 0...255, using: &$0) }
            case 1: bytes = Array(generator.ping().utf8)
            default: bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let kept = Int.random(in: 0...bytes.count, using: &random)
            if random.chance(20) { bytes.removeLast(bytes.count - kept) }
            if let error = refusal(bytes), error.isMalformed { #expect(error.id == nil) }
            if let message = try? BrokerMessage.decode(bytes.span) {
                // What a broker would never say, such as `own` of a deleted message, may be lost, but only once.
                let written = text(message)
                #expect(text(try decodeMessage(written)) == written)
            }
            if let data = try? ReactionData.decode(bytes.span) { #expect(data.canonical.utf8.first == 0x7B) }
            if let body = try? ReactionBody.decode(bytes.span) { #expect((1...1_000).contains(body.count ?? 1)) }
            if let body = try? ReactionsBody.decode(bytes.span) { #expect(body.reactions.count <= 1_000) }
        }
    }

    @Test("Many unknown names are compared without growing slow, and the last twin is found")
    func manyNames() throws {
        let names = (0..<6_000).map { "\"n\($0)\":0" }.joined(separator: ",")
        #expect(try decode("{\"type\":\"ping\",\(names)}") == Request(.ping))
        #expect(refusal("{\"type\":\"ping\",\(names),\"n0\":1}")?.reason == "a name twice")
    }
}
