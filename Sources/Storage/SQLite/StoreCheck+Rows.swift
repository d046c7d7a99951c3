// What no channel has: the rows of the other tables, and those that are on their way out.
extension StoreCheck {
    /// Reads every text of every table, whoever may need it.
    static func checkTexts(
        _ database: Database, _ outcome: inout Outcome, _ progress: (String) -> Void
    ) throws(SQLiteError) {
        for column in try Schema.current.parts().textColumns where outcome.faults.count < most {
            progress("the texts of \(column.table).\(column.name)")
            try check(column, database, &outcome)
        }
    }

    private static func check(
        _ column: SchemaParts.TextColumn, _ database: Database, _ outcome: inout Outcome
    ) throws(SQLiteError) {
        let purpose = "reading \(column.table)"
        let texts = try Statement(database, "SELECT \"\(column.name)\" FROM \"\(column.table)\"", purpose)
        defer { texts.reset() }
        while outcome.faults.count < most, try texts.step() {
            do throws(SQLiteError) { _ = try texts.textIfAny(0) } catch {
                outcome.faults.append("\(column.table).\(column.name): \(error.message)")
            }
        }
    }
}
