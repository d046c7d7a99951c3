/// The rows of a table that have a name and are known by a number elsewhere: channels and messages.
///
/// Three plain statements, since an upsert with RETURNING takes twice their time; and the numbers used lately are
/// remembered, which saves the first of them for what is hot.
final class NamedRows {
    private struct Name: Hashable {
        var owner: Int64?
        var name: String
    }

    /// How many numbers are remembered at most, some 10 MiB; at the bound all are forgotten.
    private static let capacity = 100_000

    private let find: Statement
    private let update: Statement
    private let insert: Statement
    private var numbers: [Name: Int64] = [:]

    /// Makes the rows of a table from its statements.
    ///
    /// `find` gets a row's name (1) and owner (2, where the table has one); `update` a number (3), a flag (4), both NULL to leave what is there, and
    /// the row's number (5); `insert` the first four.
    init(find: Statement, update: Statement, insert: Statement) {
        self.find = find
        self.update = update
        self.insert = insert
    }

    /// Writes a row and gives its number.
    func put(_ name: String, in owner: Int64? = nil, number: UInt64?, flag: Bool?) throws(SQLiteError) -> Int64 {
        let key = Name(owner: owner, name: name)
        if let id = numbers[key] {
            try change(id, number, flag)
            return id
        }
        if let id = try find(key) {
            try change(id, number, flag)
            return remember(id, of: key)
        }
        try set(number, flag, in: insert)
        try set(key, in: insert)
        return remember(try insert.insertRow(), of: key)
    }

    /// Forgets all numbers, because rows that were made may have been taken back.
    func forget() {
        numbers = [:]
    }

    private func change(_ id: Int64, _ number: UInt64?, _ flag: Bool?) throws(SQLiteError) {
        try set(number, flag, in: update)
        try update.bind(5, id)
        try update.run()
    }

    private func find(_ key: Name) throws(SQLiteError) -> Int64? {
        try set(key, in: find)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return find.integer(0)
    }

    private func set(_ key: Name, in statement: Statement) throws(SQLiteError) {
        try statement.bind(1, key.name)
        if let owner = key.owner { try statement.bind(2, owner) }
    }

    private func set(_ number: UInt64?, _ flag: Bool?, in statement: Statement) throws(SQLiteError) {
        if let number { try statement.bind(3, number) } else { try statement.bindNull(3) }
        try statement.bind(4, flag)
    }

    private func remember(_ id: Int64, of key: Name) -> Int64 {
        if numbers.count >= Self.capacity { numbers = [:] }
        numbers[key] = id
        return id
    }
}
