import Glibc
import Testing

@testable import fanfare

@Suite struct JournalTests {
    @Test("the journal is where the variable names the descriptor's own device and inode")
    func stream() throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var status = stat()
        try #require(unsafe fstat(ends[1], &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(Journal.isJournal(name, ends[1]))
        for other in [nil, "", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", name + ":", "0:0"] {
            #expect(!Journal.isJournal(other, ends[1]), "\(other ?? "nil")")
        }
    }

    @Test("a descriptor that is not open is none")
    func closed() {
        #expect(!Journal.isJournal("0:0", -1))
    }
}
