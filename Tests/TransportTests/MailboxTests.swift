import Testing
import Transport

@Suite(.timeLimit(.minutes(5)))
struct MailboxTests {
    @Test func `what one thread posts arrives in its order, in few batches`() async throws {
        try await withLoop { loop in
            let batches = Facts<[[Int]]>([])
            let mailbox = Mailbox<Int>(on: loop) { batch in batches.change { $0.append(batch) } }
            for number in 0..<10_000 { mailbox.post(number) }
            let seen = await batches.wait { $0.reduce(0) { $0 + $1.count } == 10_000 }
            #expect(seen.flatMap(\.self) == Array(0..<10_000))
            #expect(seen.allSatisfy { !$0.isEmpty })
        }
    }

    @Test func `values of several threads keep each thread's order`() async throws {
        try await withLoop { loop in
            let values = Facts<[(Int, Int)]>([])
            let mailbox = Mailbox<(Int, Int)>(on: loop) { batch in values.change { $0 += batch } }
            await withTaskGroup { group in
                for sender in 0..<4 {
                    group.addTask { for number in 0..<2_000 { mailbox.post((sender, number)) } }
                }
            }
            let seen = await values.wait { $0.count == 8_000 }
            for sender in 0..<4 { #expect(seen.filter { $0.0 == sender }.map(\.1) == Array(0..<2_000)) }
        }
    }

    @Test func `what comes while the loop is busy is one batch and one wake`() async throws {
        try await withLoop { loop in
            let batches = Facts<[[Int]]>([])
            let turns = Facts(0)
            let isBusy = Facts(false)
            let mayGoOn = Facts(false)
            let mailbox = Mailbox<Int>(on: loop) { batch in batches.change { $0.append(batch) } }
            loop.execute {
                loop.atTurnEnd { turns.change { $0 += 1 } }
                isBusy.change { $0 = true }
                // The loop's thread may spin here: the test is about what piles up meanwhile.
                while !mayGoOn.value {}
            }
            await isBusy.wait { $0 }
            for number in 0..<1_000 { mailbox.post(number) }
            mailbox.post(contentsOf: [1_000, 1_001])
            mayGoOn.change { $0 = true }
            let seen = await batches.wait { !$0.isEmpty }
            #expect(seen == [Array(0...1_001)])
            #expect(turns.value <= 2)
        }
    }

    @Test func `posting from the loop itself arrives, in order with the rest`() async throws {
        try await withLoop { loop in
            let values = Facts<[Int]>([])
            let mailbox = Mailbox<Int>(on: loop) { batch in values.change { $0 += batch } }
            try await loop.run {
                mailbox.post(1)
                mailbox.post(contentsOf: [2, 3])
                mailbox.post(contentsOf: [])
            }
            #expect(await values.wait { $0.count == 3 } == [1, 2, 3])
        }
    }

    @Test func `a receiver may post to its own mailbox`() async throws {
        try await withLoop { loop in
            let values = Facts<[Int]>([])
            let box = Facts<Mailbox<Int>?>(nil)
            let mailbox = Mailbox<Int>(on: loop) { batch in
                values.change { $0 += batch }
                for number in batch where number < 50 { box.value?.post(number + 1) }
            }
            box.change { $0 = mailbox }
            mailbox.post(0)
            #expect(await values.wait { $0.count == 51 } == Array(0...50))
            box.change { $0 = nil }
        }
    }
}
