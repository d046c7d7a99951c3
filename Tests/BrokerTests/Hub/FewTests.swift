import TestSupport
import Testing

@testable import Broker

/// A list that is usually empty or of one.
@Suite struct FewTests {
    @Test("it is a list, whatever is added, taken out and changed")
    func property() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var few = Few<Int>.none
        var model: [Int] = []
        for step in 0..<5_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...1 where model.count < 5:
                few.append(step)
                model.append(step)
            case 2 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                few[index] = -step
                model[index] = -step
            case _ where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                few.remove(at: index)
                model.remove(at: index)
            default: break
            }
            #expect(Array(few) == model, "seed \(seed)")
        }
    }

    @Test("what is taken out or replaced is let go")
    func release() {
        final class Element {}
        var few = Few<Element>.none
        weak var first: Element?
        weak var second: Element?
        do {
            let (one, other) = (Element(), Element())
            (first, second) = (one, other)
            few.append(one)
            few.append(other)
        }
        #expect(first != nil && second != nil)
        few.remove(at: 0)
        #expect(first == nil && second != nil)
        few[0] = Element()
        #expect(second == nil && few.count == 1)
    }
}
