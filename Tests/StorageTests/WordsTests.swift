import Foundation
import Testing

@testable import Storage

/// What people are told of a file that cannot be read or written.
@Suite struct WordsTests {
    @Test(
        "An error that only a writer can mend says what to do",
        arguments: [
            (264, "run this as the owner of the files, or start fanfare serve on it once"),
            (520, "run this as the owner of the files, or start fanfare serve on it once"),
            (1288, "run this as the owner of the files, or start fanfare serve on it once"),
            (776, "start fanfare serve on it once, which takes back what was half done"),
            (1544, "no file may be made in its folder"), (8, "the database may not be written"),
            (1032, "the database may not be written"),
        ] as [(CInt, String)])
    func readOnly(code: CInt, words: String) {
        let error = SQLiteError(extendedCode: code, purpose: "reading x", message: "m").storeError
        #expect(error.reason.contains(words) && error.reason.contains("SQLite 8/\(code)"), "\(error.reason)")
    }

    @Test func `Where files may not grow, an error of the disk says that it may be that`() {
        var error = SQLiteError(extendedCode: 778, purpose: "saving changes", message: "disk I/O error")
        error.fileSizeLimit = nil
        #expect(error.storeError.reason.contains("the disk failed to read or write, or is full (SQLite 10/778"))
        error.fileSizeLimit = 4_096
        #expect(error.storeError.reason.contains("or a file may not grow above 4096 bytes (ulimit -f) (SQLite"))
    }

    @Test func `A store that was only begun is told from another program's`() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.file()))
        let error = #expect(throws: StoreError.self) { _ = try StoreSnapshot(file: folder.file()) }
        #expect(error?.reason.contains("import makes it whole") == true)
        _ = try StoreMerge(file: folder.file())
        #expect(try StoreSnapshot(file: folder.file()).channels == [])
    }
}
