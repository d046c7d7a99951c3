/// The rows of a table that have a name and are known by a number elsewhere: channels and messages.
///
/// Three plain statements: an upsert with RETURNING takes twice their time.
struct NamedRows {
    /// Finds a row's number by its name (1) and where it belongs to (2, where the table has that).
    let find: Statement
    /// Changes a row found, by its number (5), to a number (3) and a flag (4); NULL leaves what is there.
    let update: Statement
    /// Makes a row of what `find` and `update` have.
    let insert: Statement

    /// Writes a row and gives its number.
    func put(_ name: String, in owner: Int64?, number: UInt64?, flag: Bool?) throws(SQLiteError) -> Int64 {
        let id = try find(name, in: owner)
        let statement = id == nil ? insert : update
        if let number { try statement.bind(3, number) } else { try statement.bindNull(3) }
        try statement.bind(4, flag)
        if let id {
            try update.bind(5, id)
            try update.run()
            return id
        }
        try insert.bind(1, name)
        if let owner { try insert.bind(2, owner) }
        return try insert.insertRow()
    }

    private func find(_ name: String, in owner: Int64?) throws(SQLiteError) -> Int64? {
        try find.bind(1, name)
        if let owner { try find.bind(2, owner) }
        guard try find.step() else { return nil }
        defer { find.reset() }
        return find.integer(0)
    }
}
