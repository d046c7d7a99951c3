/// The tables of a database with their columns and indexes, to be compared with those that a store has.
struct SchemaParts {
    /// A table, a column or an index.
    private struct Part {
        var name: String
        /// The table that it belongs to; `nil`: it is one.
        var table: String?
        /// What else is to be the same: types, keys and the like.
        var shape: String
    }

    /// A column that holds texts.
    struct TextColumn {
        let table: String
        let name: String
    }

    /// The columns that hold texts, table by table.
    let textColumns: [TextColumn]
    private let parts: [Part]

    init(of database: Database) throws(SQLiteError) {
        let purpose = "reading the schema"
        let texts = try Statement(database, Self.textQuery, purpose)
        var textColumns: [TextColumn] = []
        while try texts.step() { textColumns.append(TextColumn(table: try texts.text(0), name: try texts.text(1))) }
        self.textColumns = textColumns
        let found = try Statement(database, Self.query, purpose)
        var parts: [Part] = []
        while try found.step() {
            parts.append(Part(name: try found.text(0), table: try found.textIfAny(1), shape: try found.text(2)))
        }
        self.parts = parts
    }

    /// What a database lacks of these, or has otherwise, one line each; what it has besides is left alone.
    func faults(of other: SchemaParts) -> [String] {
        let there = Dictionary(other.parts.map { ($0.name, $0.shape) }) { first, _ in first }
        return parts.compactMap { part in
            // A table that is missing says all of its columns and indexes.
            if let table = part.table, there["table \(table)"] == nil { return nil }
            guard let shape = there[part.name] else { return "there is no \(part.name)" }
            return shape == part.shape ? nil : "the \(part.name) is not as a store has it"
        }
    }

    private static let tables = """
        pragma_table_list AS t WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
        """

    private static let textQuery = """
        SELECT t.name, c.name FROM pragma_table_xinfo(t.name) AS c, \(tables) AND c.type = 'TEXT' ORDER BY t.name, c.cid
        """

    private static let query = """
        SELECT 'table ' || t.name, NULL, t.type || t.wr || t.strict FROM \(tables)
        UNION ALL SELECT 'column ' || t.name || '.' || c.name, t.name, c.type || c."notnull" || c.pk || c.hidden
        FROM pragma_table_xinfo(t.name) AS c, \(tables)
        UNION ALL SELECT 'index ' || i.name, t.name, i."unique" || i.partial || (
            SELECT group_concat(name || "desc" || coll) FROM (
                SELECT * FROM pragma_index_xinfo(i.name) WHERE key ORDER BY seqno))
        FROM pragma_index_list(t.name) AS i, \(tables)
        """
}

extension Schema {
    /// The tables, columns and indexes that a file of this version has.
    func parts() throws(SQLiteError) -> SchemaParts {
        let model = try Database(making: ":memory:")
        for step in steps { try model.execute(step, "making a model of the tables") }
        return try SchemaParts(of: model)
    }

    /// What a file lacks of the tables, columns and indexes that it should have, one line each.
    func faults(in database: Database) throws(SQLiteError) -> [String] {
        try parts().faults(of: SchemaParts(of: database))
    }
}
