import CSQLite
import Glibc

/// What SQLite answered instead of doing what it was asked.
struct SQLiteError: Error {
    /// The extended result code; its low byte is the primary one.
    var extendedCode: CInt
    /// What was being done, for a person: `"saving changes"`.
    var purpose: String
    /// SQLite's own words.
    var message: String
    /// How large a file of this process may become, in bytes; `nil`: as large as the disk lets it.
    var fileSizeLimit = Self.currentFileSizeLimit

    var primaryCode: CInt { extendedCode & 0xFF }

    /// Whether the disk did not say that it has something (`SQLITE_IOERR_FSYNC`, a macro that Swift does not see).
    var isFailedSync: Bool { extendedCode == SQLITE_IOERR | 4 << 8 }

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
        case SQLITE_IOERR: "the disk failed to read or write, or is full" + sizeHint
        case SQLITE_BUSY, SQLITE_LOCKED: "another program holds the database's lock"
        case SQLITE_READONLY: readOnlyReason
        case SQLITE_PERM: "the database may not be written"
        case SQLITE_CANTOPEN: "the database cannot be opened"
        case SQLITE_NOMEM: "there is no memory left"
        case SQLITE_NOTADB: "the file is not a SQLite database, or is damaged"
        case SQLITE_CORRUPT, SQLITE_FORMAT: "the database is damaged"
        case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH: "the database does not have the tables it should have"
        case SQLITE_INTERRUPT: "it was ended"
        default: "the database refused"
        }
    }

    /// What else it may be: SQLite does not tell it from a disk that fails.
    private var sizeHint: String {
        fileSizeLimit.map { ", or a file may not grow above \($0) bytes (ulimit -f)" } ?? ""
    }

    private static var currentFileSizeLimit: UInt64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return nil }
        // `RLIM_INFINITY`, a macro that Swift does not see, is the largest number.
        return limit.rlim_cur == .max ? nil : UInt64(limit.rlim_cur)
    }

    /// Why somebody who only reads is told that something cannot be written, and what to do; see SQLite's list of
    /// extended result codes.
    private var readOnlyReason: String {
        switch extendedCode >> 8 {
        // SQLITE_READONLY_RECOVERY, _CANTLOCK and _CANTINIT.
        case 1, 2, 5:
            "its write-ahead log can only be read by who may write beside it; run this as the owner of the files, or start fanfare serve on it once"
        // SQLITE_READONLY_ROLLBACK.
        case 3:
            "a program was killed while it changed the file; start fanfare serve on it once, which takes back what was half done and loses nothing that was committed"
        // SQLITE_READONLY_DIRECTORY.
        case 6: "no file may be made in its folder"
        default: "the database may not be written"
        }
    }
}

extension StoreError {
    /// Damage of a file that a broker cannot begin to work on, and what to do about it.
    static func damaged(_ words: String) -> StoreError {
        .unusable(
            words + "; put a copy in its place (fanfare backup makes them), or import what fanfare export still reads; "
                + "fanfare check-data lists what is wrong")
    }
}

/// Runs a part of the opening by a broker, which tells what to do about a file that is damaged.
func asOpening<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
    do throws(SQLiteError) { return try body() } catch {
        guard case .unusable(let reason) = error.storeError else { throw error.storeError }
        throw .damaged(reason)
    }
}

/// Runs a part that only SQLite can make fail.
func asStoreError<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw error.storeError }
}
