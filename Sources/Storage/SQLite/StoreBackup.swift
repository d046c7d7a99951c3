import CSQLite
import Glibc

/// Copies a store's file: beside a broker that runs, or without one.
public enum StoreBackup {
    /// How many pages are copied between two words of progress.
    private static let pagesAtOnce: CInt = 256

    /// Copies a store as it is at one moment; commits go on meanwhile.
    ///
    /// The copy begins a life of its own: it has another epoch, since what is told after that moment is not in it.
    ///
    /// - Parameters:
    ///   - source: the path of the store's file, such as `data/fanfare.db`; nothing in it is changed.
    ///   - target: the path of the copy; nothing may be there. It is there whole, on the disk, or not at all.
    ///   - progress: hears how much is done, 0 to 1, from time to time.
    ///   - goesOn: is asked from time to time; `false` ends it.
    /// - Returns: the size of the copy in bytes.
    /// - Throws: ``StoreError``, for a person.
    @discardableResult
    public static func make(
        of source: String, to target: String, progress: (Double) -> Void = { _ in }, goesOn: () -> Bool = { true }
    ) throws(StoreError) -> Int64 {
        let place = try NewFile(target)
        let from = try Database.open(readingStore: source)
        return try asStoreError { () throws(SQLiteError) in
            let size = try copy(from, to: place.draft) { done in
                progress(done)
                return goesOn()
            }
            try place.publish()
            return size
        }
    }

    private static func copy(
        _ source: Database, to path: String, _ progress: (Double) -> Bool
    ) throws(SQLiteError) -> Int64 {
        let purpose = "copying the store"
        let copy = try Database(making: path)
        // One transaction for all of it: without, each commit of the broker would have the copying begin anew.
        try source.execute("BEGIN", purpose)
        _ = try source.integer("SELECT count(*) FROM meta", purpose)
        try copy.copyAll(of: source, pagesAtOnce: pagesAtOnce, purpose, progress)
        try source.execute("COMMIT", purpose)
        // The copy is one file, without a log beside it.
        try copy.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", purpose)
        try Life.beginAnew(copy)
        return try copy.integer("PRAGMA page_count", purpose) * copy.integer("PRAGMA page_size", purpose)
    }
}

extension Database {
    /// Copies another database into this one, whose pages it replaces.
    fileprivate func copyAll(
        of source: Database, pagesAtOnce: CInt, _ purpose: String, _ progress: (Double) -> Bool
    ) throws(SQLiteError) {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw error(unsafe sqlite3_extended_errcode(handle), purpose)
        }
        var code = SQLITE_OK
        var isEnded = false
        while code == SQLITE_OK, !isEnded {
            code = unsafe sqlite3_backup_step(backup, pagesAtOnce)
            let (total, left) = unsafe (sqlite3_backup_pagecount(backup), sqlite3_backup_remaining(backup))
            if total > 0 { isEnded = !progress(Double(total - left) / Double(total)) }
        }
        let finished = unsafe sqlite3_backup_finish(backup)
        if isEnded { throw SQLiteError(extendedCode: SQLITE_INTERRUPT, purpose: purpose, message: "interrupted") }
        guard code == SQLITE_DONE else { throw error(finished == SQLITE_OK ? code : finished, purpose) }
    }
}
