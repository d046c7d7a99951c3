import Foundation
import Reactions
import Storage

/// Reads the lines of an export in order, and puts what they say into a store.
struct Importer {
    /// Which line cannot be taken, and why.
    struct Failure: Error, Equatable {
        var line: Int
        var words: String
    }

    /// How many lines were read.
    private(set) var line = 0
    /// How many channels were begun.
    private(set) var channels = 0
    private let store: StoreImport
    private let decoder = JSONDecoder()
    private var epoch: String?
    private var open: (name: String, image: ChannelImage)?
    private var hasEnded = false

    init(_ store: StoreImport) {
        self.store = store
    }

    /// Takes the next line.
    ///
    /// - Throws: `Failure` where it is wrong, `StoreError` where the store does not take it.
    mutating func take(_ bytes: [UInt8]) throws {
        line += 1
        guard let entry = try? decoder.decode(ExportLine.self, from: Data(bytes)) else {
            throw failure("this is no line of an export")
        }
        do { try take(entry) } catch let fault as ExportLine.Fault { throw failure(fault.words) }
    }

    private mutating func take(_ entry: ExportLine) throws {
        guard !hasEnded else { throw failure("this comes behind the end") }
        guard epoch != nil || entry.type == .export else {
            throw failure("an export begins with a line of the type export")
        }
        switch entry.type {
        case .export:
            guard epoch == nil else { throw failure("a second export begins here") }
            guard entry.version == ExportLine.version else {
                throw failure("this form has version \(entry.version ?? 0); version \(ExportLine.version) is known")
            }
            epoch = entry.epoch ?? "?"
        case .channel:
            try close()
            open = try entry.beginning()
            channels += 1
        case .message, .group, .reaction, .key:
            guard let seq = open?.image.seq else { throw failure("this belongs to no channel") }
            open?.image.records.append(try entry.record(upTo: seq))
        case .revocation:
            try close()
            try store.add(try entry.revocation())
        case .audit:
            try close()
            try store.add(try entry.auditEntry())
        case .end:
            try close()
            guard entry.lines == line else {
                throw failure("\(entry.lines ?? 0) lines were written, and this is line \(line)")
            }
            hasEnded = true
        }
    }

    /// Puts the channel in that the lines before were about.
    private mutating func close() throws {
        guard let (name, image) = open else { return }
        open = nil
        let held = image.records.count(where: \.isReaction)
        guard Ledger(image).image.records.count(where: \.isReaction) == held else {
            throw failure("the reactions of the channel \(brief(name)) contradict each other")
        }
        try store.add(name, image)
    }

    /// Makes all of it durable.
    ///
    /// - Returns: the epoch that the channels were in, and the one that they are in.
    func finish() throws -> (from: String, to: String) {
        guard hasEnded, let epoch else { throw failure("the end is missing: this is not all of an export") }
        try store.finish()
        return (epoch, store.epoch)
    }

    private func failure(_ words: String) -> Failure { Failure(line: line, words: words) }
}

extension Record {
    fileprivate var isReaction: Bool {
        if case .entry = self { true } else { false }
    }
}
