import CSQLite

/// One prepared statement, kept for as long as its owner wants it.
///
/// Parameters count from 1, columns from 0, as in SQLite.
@safe final class Statement {
    private let database: Database
    /// The statement; valid as long as this object.
    private let handle: OpaquePointer
    private let purpose: String

    /// Prepares one statement; errors tell a person what it was for.
    init(_ database: Database, _ sql: String, _ purpose: String) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let handle = unsafe prepared else { throw database.error(code, purpose) }
        self.database = database
        unsafe self.handle = handle
        self.purpose = purpose
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    // MARK: Parameters

    func bind(_ index: CInt, _ value: Int64) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Binds the same 64 bits; ``unsigned(_:)`` gives them back.
    func bind(_ index: CInt, _ value: UInt64) throws(SQLiteError) {
        try bind(index, Int64(bitPattern: value))
    }

    func bind(_ index: CInt, _ value: Bool?) throws(SQLiteError) {
        if let value { try bind(index, Int64(value ? 1 : 0)) } else { try bindNull(index) }
    }

    /// Binds the text's UTF-8 bytes as they are.
    func bind(_ index: CInt, _ text: String) throws(SQLiteError) {
        let span = text.utf8Span.span
        try check(
            unsafe span.withUnsafeBytes { bytes in
                unsafe csqlite_bind_text(
                    handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(clamping: bytes.count))
            })
    }

    func bind(_ index: CInt, _ text: String?) throws(SQLiteError) {
        if let text { try bind(index, text) } else { try bindNull(index) }
    }

    func bind(_ index: CInt, _ value: UInt64?) throws(SQLiteError) {
        if let value { try bind(index, value) } else { try bindNull(index) }
    }

    func bind(_ index: CInt, _ bytes: [UInt8]) throws(SQLiteError) {
        try check(
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe csqlite_bind_blob(handle, index, bytes.baseAddress, CInt(clamping: bytes.count))
            })
    }

    func bindNull(_ index: CInt) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, index))
    }

    private func check(_ code: CInt) throws(SQLiteError) {
        if code != SQLITE_OK { throw database.error(code, purpose) }
    }

    // MARK: Running

    /// Goes to the next row; after the last one, or an error, the statement is ready for its next use.
    func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code:
            let error = database.error(code, purpose)
            reset()
            throw error
        }
    }

    /// Runs to the end.
    func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Runs to the end and gives the number of the row that was made.
    func insertRow() throws(SQLiteError) -> Int64 {
        try run()
        return unsafe sqlite3_last_insert_rowid(database.handle)
    }

    /// Makes the statement ready for its next use before its rows are all read; the parameters stay bound.
    func reset() {
        unsafe sqlite3_reset(handle)
    }

    // MARK: The row

    func integer(_ column: CInt) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func unsigned(_ column: CInt) -> UInt64 { UInt64(bitPattern: integer(column)) }

    func isNull(_ column: CInt) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// A text column; bytes that are not UTF-8 can only come from damage.
    func text(_ column: CInt) throws(SQLiteError) -> String {
        let start = unsafe sqlite3_column_text(handle, column)
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw SQLiteError(extendedCode: SQLITE_CORRUPT, purpose: purpose, message: "a text is not UTF-8")
        }
        return text
    }

    func textIfAny(_ column: CInt) throws(SQLiteError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    func unsignedIfAny(_ column: CInt) -> UInt64? {
        isNull(column) ? nil : unsigned(column)
    }

    func bytes(_ column: CInt) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
