/// Which channel each connection of a run belongs to.
struct Cast: Sendable {
    private let subscribers: [Int32]
    private let publishers: [Int32]

    /// Casts the connections of a plan: one after the other, or by Zipf's law where the scenario reacts like people do.
    init(_ plan: Plan) {
        guard plan.scenario.isMixed, plan.channels > 1 else {
            subscribers = (0..<plan.subscribers).map { Int32($0 % plan.channels) }
            publishers = (0..<plan.publishers).map { Int32($0 % plan.channels) }
            return
        }
        var generator = SeededGenerator(seed: plan.seed ^ 0xCA57)
        let law = Zipf(count: plan.channels, exponent: plan.zipf)
        subscribers = (0..<plan.subscribers).map { _ in Int32(law.pick(using: &generator)) }
        publishers = (0..<plan.publishers).map { _ in Int32(law.pick(using: &generator)) }
    }

    /// The channel, from 0, of a subscriber.
    func channel(ofSubscriber number: Int) -> Int { Int(subscribers[number]) }

    /// The channel, from 0, of a publisher.
    func channel(ofPublisher number: Int) -> Int { Int(publishers[number]) }
}
