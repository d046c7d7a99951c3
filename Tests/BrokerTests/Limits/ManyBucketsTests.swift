import TestSupport
import Testing
import Transport

@testable import Broker

/// A request takes a token of each bucket or none, and a client that waits as long as it is told gets through.
@Suite struct ManyBucketsTests {
    /// A bucket as one would draw it: so much is in it, and it fills by the clock.
    private struct PlainBucket {
        let token: Int64
        let size: Int64
        var level: Int64
        var filledAt: Int64 = 0

        init(_ rate: Rate) {
            token = Int64((1_000_000_000 / rate.perSecond).rounded(.up))
            size = token * Int64(rate.burst)
            level = size
        }

        mutating func fill(at clock: Int64) {
            level = min(size, level + clock - filledAt)
            filledAt = clock
        }

        /// Milliseconds until a token is there; 0: it is.
        var wait: Int64 { level >= token ? 0 : (token - level + 999_999) / 1_000_000 }
    }

    private static let rateChoices: [Rate?] = [
        nil, Rate(perSecond: 1, burst: 1), Rate(perSecond: 7.7, burst: 3), Rate(perSecond: 100, burst: 20),
        Rate(perSecond: 0.5, burst: 5),
    ]

    @Test("all or none, and the longest wait of those that are short, as a plain model has it", arguments: 0..<60)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pick = { (random: inout SeededGenerator) in Self.rateChoices.randomElement(using: &random) ?? nil }
        let rates = Rates(
            user: pick(&random), connection: pick(&random), address: pick(&random), channel: pick(&random))
        let shared = SharedBuckets()
        var limiters = (0..<2).map { _ in ChannelLimiter(shared, entry: "chat", Namespace(rates: rates)) }
        var plain: [String: PlainBucket] = [:]
        var clock: Int64 = 1_000_000
        for _ in 0..<600 {
            clock += Int64.random(in: 0...(Bool.random(using: &random) ? 3 : 400), using: &random)
            let channel = Int.random(in: 0..<2, using: &random)
            let asker = Asker(
                user: "u\(Int.random(in: 0..<3, using: &random))",
                connection: .exchange(hub: 0, number: UInt64.random(in: 1..<4, using: &random)),
                address: Bool.random(using: &random) ? .ipv4(UInt32.random(in: 1..<3, using: &random)) : nil)
            var places: [(String, Rate)] = []
            if let rate = rates.user { places.append(("user \(asker.user)", rate)) }
            if let rate = rates.connection { places.append(("connection \(asker.connection)", rate)) }
            if let rate = rates.address, let address = asker.address { places.append(("address \(address)", rate)) }
            if let rate = rates.channel { places.append(("channel \(channel)", rate)) }
            for (place, rate) in places { plain[place, default: PlainBucket(rate)].fill(at: clock * 1_000_000) }
            let expected = places.compactMap { plain[$0.0]?.wait }.max() ?? 0
            let wait = limiters[channel].take(for: asker, at: clock) ?? 0
            #expect(wait == expected, "seed \(seed), \(rates)")
            guard wait == expected else { return }
            if wait == 0 { for (place, rate) in places { plain[place]?.level -= PlainBucket(rate).token } }
            if wait > 0, Bool.random(using: &random) {
                clock += wait
                for (place, rate) in places { plain[place, default: PlainBucket(rate)].fill(at: clock * 1_000_000) }
                #expect(limiters[channel].take(for: asker, at: clock) == nil, "seed \(seed): it waited as it was told")
                for (place, rate) in places { plain[place]?.level -= PlainBucket(rate).token }
            }
        }
    }

    @Test("a connection without an address is not counted as one")
    func noAddress() {
        let rates = Rates(address: Rate(perSecond: 0.001, burst: 1))
        var limiter = ChannelLimiter(SharedBuckets(), entry: "chat", Namespace(rates: rates))
        let nowhere = Asker(user: "ada", connection: .exchange(hub: 0, number: 1), address: nil)
        for _ in 0..<10 { #expect(limiter.take(for: nowhere, at: 0) == nil) }
    }

    @Test("the addresses of one IPv6 network of 64 bits share their tokens")
    func network() throws {
        let rates = Rates(address: Rate(perSecond: 0.001, burst: 1))
        var limiter = ChannelLimiter(SharedBuckets(), entry: "chat", Namespace(rates: rates))
        func take(_ address: String) throws -> Int64? {
            let address = try ClientAddress(.parse(address))
            return limiter.take(
                for: Asker(user: "ada", connection: .exchange(hub: 0, number: 1), address: address), at: 0)
        }
        #expect(try take("[2001:db8::1]:1") == nil)
        #expect(try take("[2001:db8::ffff]:2") != nil)
        #expect(try take("[2001:db8:0:1::1]:1") == nil)
        #expect(try take("127.0.0.1:1") == nil)
        #expect(try take("127.0.0.1:2") != nil)
    }

    @Test("each entry of the settings' namespaces has buckets of its own")
    func namespaces() {
        let (shared, rates) = (SharedBuckets(), Rates(connection: Rate(perSecond: 0.001, burst: 1)))
        var chat = ChannelLimiter(shared, entry: "chat", Namespace(rates: rates))
        var tap = ChannelLimiter(shared, entry: "tap", Namespace(rates: rates))
        let asker = Asker(user: "ada", connection: .exchange(hub: 0, number: 1), address: nil)
        #expect(chat.take(for: asker, at: 0) == nil)
        #expect(tap.take(for: asker, at: 0) == nil)
        #expect(chat.take(for: asker, at: 0) != nil)
    }
}
