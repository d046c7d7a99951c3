import Foundation
import Testing

/// What people read: the pages of documentation, and the site that is made of them.
@Suite struct GuidesTests {
    @Test("every command, setting, page and script in the documentation is run, or says why it cannot be")
    func blocks() async throws {
        try await runClient("guides.py", Places.binaries.path())
    }

    /// Copies what `scripts/docs` reads into a folder, and makes the site there.
    private func site(in folder: URL, change: (URL) throws -> Void) async throws -> (Int32, Program.Record) {
        let files = FileManager.default
        try files.createDirectory(at: folder.appending(path: "scripts"), withIntermediateDirectories: true)
        try files.copyItem(
            at: Places.repository.appending(path: "scripts/docs"), to: folder.appending(path: "scripts/docs"))
        let sources = Places.repository.appending(path: "Sources")
        for target in try files.contentsOfDirectory(atPath: sources.path()) {
            let catalog = "\(target)/Documentation.docc"
            guard files.fileExists(atPath: sources.appending(path: catalog).path()) else { continue }
            let place = folder.appending(path: "Sources/\(catalog)")
            try files.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try files.copyItem(at: sources.appending(path: catalog), to: place)
        }
        try change(folder.appending(path: "Sources/Server/Documentation.docc"))
        return await (try Program("/bin/bash", [folder.appending(path: "scripts/docs").path(), "--out", "site"])).end()
    }

    @Test("scripts/docs makes a page of the site of each page, without a warning of docc")
    func site() async throws {
        try await Places.withFolder { folder in
            var names: [String] = []
            let (status, record) = try await site(in: folder) { catalog in
                names = try FileManager.default.contentsOfDirectory(atPath: catalog.path())
            }
            #expect(status == 0, "\(record.errors)")
            #expect(names.count > 30)
            for name in names where name != "Fanfare.md" {
                let page = name.lowercased().replacing(".md", with: "")
                let place = folder.appending(path: "site/documentation/fanfare/\(page)/index.html").path()
                #expect(FileManager.default.fileExists(atPath: place), "\(name) is no page of the site")
            }
        }
    }

    @Test(
        "scripts/docs ends with 1 where a link leads nowhere",
        arguments: [
            "See [there](Nowhere.md).", "See <doc:Nowhere>.", "See [there](../../Nowhere).", "- <doc:Limits#None>",
            "See [there](Nowhere.md \"it\").", "[1]: Nowhere.md", "See [there](Nowhere/Page2.md).",
        ])
    func brokenLink(_ words: String) async throws {
        try await Places.withFolder { folder in
            let (status, record) = try await site(in: folder) { catalog in
                let page = catalog.appending(path: "Draining.md")
                try Data((String(contentsOf: page, encoding: .utf8) + "\n" + words + "\n").utf8).write(to: page)
            }
            #expect(status == 1)
            #expect(record.errors.contains("Nowhere") || record.errors.contains("None"), "\(record.errors)")
        }
    }

    @Test("scripts/docs says which words it knows")
    func wrongWords() async throws {
        let script = Places.repository.appending(path: "scripts/docs").path()
        for words in [["--pdf"], ["--out"], ["--out", ""], ["--out", "Sources"], ["--out", "."]] {
            let (status, record) = await (try Program("/bin/bash", [script] + words)).end()
            #expect(status == 2)
            #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
        }
    }
}
