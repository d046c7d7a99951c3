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
    var channels: Int { names.count }
    private let store: StoreImport
    private let decoder = JSONDecoder()
    private var head: (epoch: String, channels: Int)?
    private var names: Set<String> = []
    private var revoked: Set<String> = []
    private var open: ChannelLines?
    private var hasEnded = false

    init(_ store: StoreImport) {
        self.store = store
    }

    /// Takes the next line.
    ///
    /// - Throws: `Failure` where it is wrong, `StoreError` where the store does not take it.
    mutating func take(_ bytes: [UInt8]) throws {
        line += 1
        do {
            try Self.check(bytes)
            try take(try decoder.decode(ExportLine.self, from: Data(bytes)))
        } catch let fault as ExportLine.Fault {
            throw failure(fault.words)
        } catch let fault as JSONReader.Fault {
            throw failure("this is no line of an export: \(fault.words)")
        } catch let error as DecodingError {
            throw failure(
                "this is no line of an export" + (error.field.map { ": \"\($0)\" is not what it must be" } ?? ""))
        }
    }

    /// Refuses what the decoder takes or says too little of: a name that stands twice, and numbers that no field has.
    private static func check(_ bytes: [UInt8]) throws(JSONReader.Fault) {
        var reader = JSONReader(bytes)
        try reader.object { (reader, name) throws(JSONReader.Fault) in
            guard reader.isAtNumber else { return }
            let place = reader
            guard let number = try? reader.whole(), number >= 0 else {
                throw place.fault("\"\(brief(name))\" is no whole number from 0 to \(ExportLine.mostNumber)")
            }
        }
        try reader.end()
    }

    private mutating func take(_ entry: ExportLine) throws {
        guard !hasEnded else { throw failure("this comes behind the end") }
        guard head != nil || entry.type == .export else {
            throw failure("an export begins with a line of the type export")
        }
        switch entry.type {
        case .export: try begin(entry)
        case .channel:
            try close()
            let lines = try ChannelLines(entry)
            guard names.insert(lines.name).inserted else {
                throw ExportLine.Fault.second("channel \(lines.name)")
            }
            open = lines
        case .message, .group, .reaction, .key:
            guard open != nil else { throw failure("this belongs to no channel") }
            try open?.take(entry)
        case .revocation:
            try close()
            let revocation = try entry.revocation()
            guard revoked.insert(revocation.user).inserted else {
                throw ExportLine.Fault.second("revocation of this user")
            }
            try store.add(revocation)
        case .audit:
            try close()
            try store.add(try entry.auditEntry())
        case .end: try end(entry)
        }
    }

    private mutating func begin(_ entry: ExportLine) throws {
        guard head == nil else { throw failure("a second export begins here") }
        guard entry.version == ExportLine.version else {
            throw failure("this form has version \(entry.version ?? 0); version \(ExportLine.version) is known")
        }
        head = (try entry.needed(entry.epoch, "epoch"), try entry.needed(entry.channels, "channels"))
    }

    private mutating func end(_ entry: ExportLine) throws {
        try close()
        guard entry.lines == line else {
            throw failure("\"lines\" of the last line is \(entry.lines ?? 0), and this is line \(line)")
        }
        let expected = head?.channels ?? 0
        guard expected == channels else {
            throw failure("\"channels\" of the first line is \(expected), and the lines are about \(channels)")
        }
        hasEnded = true
    }

    /// Puts the channel in that the lines before were about.
    private mutating func close() throws {
        guard let lines = open.take() else { return }
        try store.add(lines.name, lines.image)
    }

    /// Makes all of it durable.
    ///
    /// - Returns: the epoch that the channels were in, and the one that they are in.
    func finish() throws -> (from: String, to: String) {
        guard let head else {
            throw Failure(line: 1, words: "there is nothing; an export begins with a line of the type export")
        }
        guard hasEnded else { throw failure("the end is missing: this is not all of an export") }
        try store.finish()
        return (head.epoch, store.epoch)
    }

    private func failure(_ words: String) -> Failure { Failure(line: line, words: words) }
}

extension DecodingError {
    /// The field that is wrong; `nil` where it is all of the line.
    fileprivate var field: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.last?.stringValue
        @unknown default: nil
        }
    }
}
