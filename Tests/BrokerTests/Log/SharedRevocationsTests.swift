import Storage
import Testing
import Transport

@testable import Broker

/// Who was revoked is read until it has been read.
@Suite struct SharedRevocationsTests {
    typealias Answer = @Sendable (Result<[Revocation], StoreError>) -> Void

    /// Reads and pauses, in the test's hands.
    private final class Hands: Sendable {
        let reads = Locked<[Answer]>([])
        let pauses = Locked<[@Sendable () -> Void]>([])
        let heeded = Locked<[String]>([])

        func reader() -> SharedRevocations {
            SharedRevocations(
                load: { [self] answer in reads.withLock { $0.append(answer) } },
                later: { [self] body in pauses.withLock { $0.append(body) } },
                heed: { [self] revocation in heeded.withLock { $0.append(revocation.user) } })
        }

        func answer(_ result: Result<[Revocation], StoreError>) {
            reads.withLock { $0.removeFirst() }(result)
        }
    }

    private let mal = Revocation(user: "mal", at: 1, by: "ada")

    @Test("a read that failed comes again after a pause, until one is answered")
    func again() {
        let hands = Hands()
        hands.reader().read()
        for _ in 0..<3 {
            hands.answer(.failure(.unavailable("no leader")))
            #expect(hands.reads.withLock { $0.count } == 0)
            hands.pauses.withLock { $0.removeFirst() }()
        }
        hands.answer(.success([mal]))
        #expect(hands.heeded.withLock { $0 } == ["mal"])
        #expect(hands.reads.withLock { $0.count } == 0)
        #expect(hands.pauses.withLock { $0.count } == 0)
    }

    @Test("what may have been missed while a read is under way is read after it, once")
    func twice() {
        let hands = Hands()
        let reader = hands.reader()
        for _ in 0..<3 { reader.read() }
        #expect(hands.reads.withLock { $0.count } == 1)
        hands.answer(.success([]))
        #expect(hands.reads.withLock { $0.count } == 1)
        hands.answer(.success([mal]))
        #expect(hands.heeded.withLock { $0 } == ["mal"])
        reader.read()
        #expect(hands.reads.withLock { $0.count } == 1)
        // A read that is never answered would hold the reader, and the reader the hands that hold the read.
        hands.answer(.success([]))
        #expect(hands.reads.withLock { $0.count } == 0)
    }
}
