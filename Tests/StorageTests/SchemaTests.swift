import Reactions
import Testing

@testable import Storage

/// How older databases become today's.
@Suite struct SchemaTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ schema: Schema) throws -> Engine {
        try Engine(file: folder.file(), schema: schema)
    }

    @Test func `A file says whose it is and which version it has`() throws {
        let engine = try open(.current)
        #expect(try engine.setting("application_id") == Schema.applicationID)
        #expect(try engine.setting("user_version") == Int64(Schema.current.steps.count))
    }

    @Test func `An older version is brought to the newest, with all it has`() throws {
        var batch = WriteBatch()
        batch.add(ChannelWrite(channel: "chat:42", seq: 3, records: [.entry("ada")]))
        let epoch = try {
            var old = try open(.current)
            try old.write(batch)
            return old.epoch
        }()
        var newer = Schema.current
        newer.steps.append("ALTER TABLE channels ADD COLUMN colour TEXT; UPDATE channels SET seq = seq + 1")
        newer.steps.append("UPDATE channels SET colour = 'red', seq = seq * 10")
        for _ in 0..<2 {
            let engine = try open(newer)
            #expect(try engine.setting("user_version") == Int64(newer.steps.count))
            #expect(engine.epoch == epoch)
            let image = try engine.read("chat:42", keysSince: 0)
            #expect(image == ChannelImage(seq: 40, records: [.entry("ada")]), "each step ran once, in order")
        }
        #expect(throws: StoreError.self, "the old program does not touch the new file") { try open(.current) }
    }

    @Test func `A step that fails leaves the old version`() throws {
        _ = try open(.current)
        var broken = Schema.current
        broken.steps.append("ALTER TABLE channels ADD COLUMN colour TEXT")
        broken.steps.append("UPDATE no_such_table SET x = 1")
        #expect(throws: StoreError.self) { try open(broken) }
        #expect(try open(.current).setting("user_version") == Int64(Schema.current.steps.count))
        let columns = try Outsider(folder.file()).text("SELECT count(*) FROM pragma_table_info('channels')")
        #expect(columns == "5")
    }
}
