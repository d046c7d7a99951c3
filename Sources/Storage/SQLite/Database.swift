import CSQLite

/// One open SQLite database, used by one thread at a time.
///
/// It owns the connection and the locks that keep other brokers away: they are let go after the connection is closed.
@safe final class Database {
    /// The connection; valid as long as this object, which every statement holds.
    let handle: OpaquePointer
    private let locks: DatabaseLocks?
    /// The most bytes that the file was seen with: nothing here makes it smaller.
    private var largestSize = 0
    /// Whether it was seen smaller: whatever its size is then, it is no longer the file that was opened.
    private(set) var isCut = false

    /// Opens a file, making it where it is missing.
    init(path: String, locks: consuming DatabaseLocks) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close(opened)
            throw SQLiteError(extendedCode: code, purpose: "opening \(path)", message: describe(code))
        }
        unsafe self.handle = handle
        self.locks = .some(locks)
    }

    /// Makes a file of its own, which nobody else knows of.
    init(making path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close(opened)
            throw SQLiteError(extendedCode: code, purpose: "making \(path)", message: describe(code))
        }
        unsafe self.handle = handle
        locks = nil
    }

    /// Opens a store's file that is there, to be read beside whoever writes it.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` where it cannot be opened or read now, ``StoreError/unusable(_:)`` where it
    ///   is another program's, damaged, or of another version.
    static func open(readingStore file: String) throws(StoreError) -> Database {
        let place = try StoredFile(file)
        try place.refuseWhatBrokersRefuse()
        let database = try asStoreError { () throws(SQLiteError) in try Database(reading: place) }
        database.setBusyTimeout(milliseconds: 5_000)
        do throws(StoreError) { try Schema.current.checkReadable(database, path: file) } catch {
            if case .unavailable = error, place.cannotHaveLog { throw place.needsLog }
            throw error
        }
        return database
    }

    /// Opens a file that is there to be read alone, beside whoever writes it.
    private init(reading file: StoredFile) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        let code = unsafe sqlite3_open_v2(file.address, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close(opened)
            throw SQLiteError(extendedCode: code, purpose: "opening \(file.path)", message: describe(code))
        }
        unsafe self.handle = handle
        locks = nil
    }

    deinit {
        // Statements hold this object, so none is left and closing cannot be refused.
        unsafe sqlite3_close(handle)
    }

    /// Leaves word beside the file that it is a store now, so that it is never taken for a new one.
    func noteStore() {
        switch locks {
        case .some(let locks): locks.beside.noteStore()
        case nil: break
        }
    }

    /// How long to wait for a lock that another program holds.
    func setBusyTimeout(milliseconds: CInt) {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs statements that give no rows, or whose rows do not matter.
    func execute(_ sql: String, _ purpose: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, purpose) }
    }

    /// The first column of the first row, as a number; 0 where there is no row.
    func integer(_ sql: String, _ purpose: String) throws(SQLiteError) -> Int64 {
        let statement = try Statement(self, sql, purpose)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether a transaction is open; some errors end it by themselves.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file is no longer where it was opened: what is written now, nobody finds again.
    var hasMoved: Bool {
        var hasMoved: CInt = 0
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Looks at the file's size, and says whether somebody has cut it short under us: what is in the write-ahead log alone
    /// then is no store.
    @discardableResult
    func noteSize() -> Bool {
        let size =
            switch locks {
            case .some(let locks): locks.on.size
            case nil: nil as Int?
            }
        if let size {
            if size < largestSize { isCut = true }
            largestSize = max(largestSize, size)
        }
        return isCut
    }

    /// Has closing write nothing into the file, and leave the write-ahead log beside it.
    func leaveFile() {
        unsafe csqlite_leave_log_on_close(handle)
    }

    /// Moves what the write-ahead log holds into the file and empties the log, as far as readers let it.
    func checkpoint() throws(SQLiteError) {
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code != SQLITE_OK { throw error(code, "emptying the write-ahead log") }
    }

    /// What SQLite says about a call that just failed.
    func error(_ code: CInt, _ purpose: String) -> SQLiteError {
        let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) }
        return SQLiteError(extendedCode: code, purpose: purpose, message: message ?? describe(code))
    }
}

private func describe(_ code: CInt) -> String {
    unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
