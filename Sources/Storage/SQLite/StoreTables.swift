/// The tables of a database as a broker uses them: all its statements, prepared once.
///
/// That they can be prepared says that every table and column is there which is needed.
struct StoreTables {
    let reader: ChannelReader
    let writer: ChannelWriter
    let outbox: OutboxTable
    var sweeper: Sweeper
    let remover: ChannelRemover
    let expiry: ChannelExpiry
    let time: StoreTime
    let audit: AuditWriter
    let life: LifeRow

    init(_ database: Database) throws(SQLiteError) {
        reader = try ChannelReader(database)
        writer = try ChannelWriter(database)
        outbox = try OutboxTable(database)
        sweeper = try Sweeper(database)
        remover = try ChannelRemover(database)
        expiry = try ChannelExpiry(database)
        time = try StoreTime(database)
        audit = try AuditWriter(database)
        life = try LifeRow(database)
    }
}
