import CSQLite

/// What SQLite answered instead of doing what it was asked.
struct SQLiteError: Error {
    /// The extended result code; its low byte is the primary one.
    var extendedCode: CInt
    /// What was being done, for a person: `"saving changes"`.
    var purpose: String
    /// SQLite's own words.
    var message: String

    var primaryCode: CInt { extendedCode & 0xFF }

    /// The same as the store's callers see it.
    var storeError: StoreError {
        let text = "\(purpose): \(reason) (SQLite \(primaryCode)/\(extendedCode): \(message))"
        switch primaryCode {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
            return .unusable(text)
        default:
            return .unavailable(text)
        }
    }

    private var reason: String {
        switch primaryCode {
        case SQLITE_FULL: "the disk is full"
        case SQLITE_IOERR: "the disk failed to read or write, or is full"
        case SQLITE_BUSY, SQLITE_LOCKED: "another program holds the database's lock"
        case SQLITE_READONLY, SQLITE_PERM: "the database may not be written"
        case SQLITE_CANTOPEN: "the database cannot be opened"
        case SQLITE_NOMEM: "there is no memory left"
        case SQLITE_NOTADB: "the file is not a SQLite database, or is damaged"
        case SQLITE_CORRUPT, SQLITE_FORMAT: "the database is damaged"
        case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH: "the database does not have the tables it should have"
        default: "the database refused"
        }
    }
}

/// Runs a part that only SQLite can make fail.
func asStoreError<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw error.storeError }
}
