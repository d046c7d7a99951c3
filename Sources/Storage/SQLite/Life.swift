import CSQLite
import Glibc

/// Which life the counters of a file are in: another one wherever something that was told may be missing.
///
/// A crash loses what was told and not committed, where that is allowed; a power cut may also lose what was committed
/// and not synced. Then a client's seq could be one that a later change has, so the epoch must be another one.
struct Life {
    /// How the file was last used.
    enum Use: Int64 {
        /// It was closed in order.
        case closed
        /// Everything that was told is committed.
        case careful
        /// Some things are told before they are committed.
        case daring
    }

    private let row: LifeRow
    private let boot: String
    /// How many lives were before this one.
    private(set) var number: Int64
    private var use: Use

    /// Begins to use the file, in a new life where the one before ended badly.
    ///
    /// `boot` names the time since the machine was last started.
    init(_ row: LifeRow, boot: String) throws(SQLiteError) {
        self.row = row
        self.boot = boot
        let last = try row.read()
        number = last.number
        if last.use == .daring || (last.use == .careful && last.boot != boot) { number += 1 }
        use = .careful
        try save()
    }

    /// Notes another use; on the disk when this returns, as nothing that depends on it may come first.
    mutating func note(_ use: Use) throws(SQLiteError) {
        guard use != self.use else { return }
        self.use = use
        try save()
    }

    private func save() throws(SQLiteError) {
        try row.write(number, boot, use)
    }

    /// What an epoch is called: the file's first one, and how many lives came after it.
    static func name(first: String, number: Int64) -> String { number == 0 ? first : "\(first)-\(number)" }

    /// A name that no other file's first life has: 80 random bits.
    static func newName() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<16).map { _ in alphabet[Int.random(in: 0..<32)] })
    }

    /// Has a file that is a copy begin a first life of its own.
    static func beginAnew(_ database: Database) throws(SQLiteError) {
        let purpose = "beginning a life of its own"
        let put = try Statement(database, "UPDATE meta SET epoch = ?", purpose)
        try put.bind(1, newName())
        try put.run()
        let live = try Statement(database, "UPDATE lives SET life = 0, boot = '', use = ?", purpose)
        try live.bind(1, Use.closed.rawValue)
        try live.run()
    }

    /// Begins another life, which is written with what comes next.
    mutating func beginAnother() throws(SQLiteError) {
        number += 1
        try save()
    }

    /// Names the time since the machine was started; empty where the system does not tell.
    static var currentBoot: String {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            unsafe count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}

/// The row in which a file's life stands; its statements are prepared once.
struct LifeRow {
    private static let purpose = "beginning the store's life"

    private let database: Database
    private let get: Statement
    private let put: Statement

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        get = try Statement(database, "SELECT life, boot, use FROM lives", Self.purpose)
        put = try Statement(database, "UPDATE lives SET life = ?, boot = ?, use = ?", Self.purpose)
    }

    /// How many lives were before this one, and in which time of the machine and how the file was last used; a use of
    /// another version's is `nil`.
    func read() throws(SQLiteError) -> (number: Int64, boot: String, use: Life.Use?) {
        defer { get.reset() }
        guard try get.step() else { throw database.error(SQLITE_CORRUPT, Self.purpose) }
        return (get.integer(0), try get.text(1), Life.Use(rawValue: get.integer(2)))
    }

    func write(_ number: Int64, _ boot: String, _ use: Life.Use) throws(SQLiteError) {
        try put.bind(1, number)
        try put.bind(2, boot)
        try put.bind(3, use.rawValue)
        try put.run()
    }
}
