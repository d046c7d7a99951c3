import Foundation
import Glibc
import Transport

/// Whose export it is.
enum ForeignSource: String, CaseIterable {
    case slack, discord, zulip, mattermost

    /// Reads the reactions of an export.
    ///
    /// - Parameters:
    ///   - path: The unpacked folder, or the one file.
    ///   - harvest: What takes them.
    ///   - progress: Is told which file is next.
    /// - Throws: ``ForeignFailure`` for what is no such export, or only a part of one.
    func read(
        _ path: String, into harvest: inout Harvest, progress: @escaping (String) -> Void
    ) throws(ForeignFailure) {
        let files = try ForeignFiles(path, progress: progress)
        switch self {
        case .slack: try SlackExport.read(files, into: &harvest)
        case .discord: try DiscordExport.read(files, into: &harvest)
        case .zulip: try ZulipExport.read(files, into: &harvest)
        case .mattermost: try MattermostExport.read(files, into: &harvest)
        }
    }
}

/// Why an export cannot be read, and where.
struct ForeignFailure: Error, Equatable {
    /// The file, with the line where there is one.
    var place: String
    var words: String
}

/// The files of an export.
struct ForeignFiles {
    /// How large a file may be that is read whole, in bytes.
    static let maxFileBytes = 1 << 30

    private let root: String
    /// Whether it is a folder, and not one file.
    let isFolder: Bool
    private let progress: (String) -> Void

    init(_ path: String, progress: @escaping (String) -> Void) throws(ForeignFailure) {
        root = path.hasSuffix("/") ? String(path.dropLast()) : path
        isFolder = fanfare.isFolder(path)
        self.progress = progress
        if !isFolder { try Self.refuseArchive(path) }
    }

    private static func refuseArchive(_ path: String) throws(ForeignFailure) {
        // What is no regular file is refused where it is read; why nothing is there, opening it tells.
        if let kind = FileKind.at(path), kind != .regular { return }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ForeignFailure(place: path, words: FileFailure.last.reason) }
        defer { close(descriptor) }
        guard let start = try? FilePart.read(descriptor, 4), start == [0x50, 0x4B, 3, 4] else { return }
        throw ForeignFailure(
            place: path, words: "this is a zip archive; unpack it (unzip FILE -d FOLDER) and give the folder")
    }

    /// The names of the files in a folder of the export that have an ending, in order; `""` is the export's own folder.
    func names(in folder: String = "", ending: String) throws(ForeignFailure) -> [String] {
        guard isFolder else { return [""] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path(folder)).filter { $0.hasSuffix(ending) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .map { folder.isEmpty ? $0 : folder + "/" + $0 }
        } catch {
            throw ForeignFailure(place: path(folder), words: "this folder cannot be read")
        }
    }

    /// The folders in the export's own folder, in order.
    func folders() throws(ForeignFailure) -> [String] {
        try names(ending: "").filter { fanfare.isFolder(path($0)) }
    }

    /// Whether there is a file or folder.
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Where a file is, as a person finds it.
    func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

    /// Reads a file line by line.
    func lines(_ name: String) throws(ForeignFailure) -> LineFile {
        progress(path(name))
        do throws(FileFailure) { return try LineFile(path(name), isFile: true) } catch { throw failure(name, error) }
    }

    /// Reads a file that is one JSON text.
    func json<Value>(
        _ name: String, _ body: (inout JSONReader) throws(JSONReader.Fault) -> Value
    ) throws(ForeignFailure) -> Value {
        progress(path(name))
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(at: path(name), atMost: Self.maxFileBytes)
        } catch {
            throw failure(name, FileFailure(error.description))
        }
        var reader = JSONReader(bytes)
        do throws(JSONReader.Fault) {
            let value = try body(&reader)
            try reader.end()
            return value
        } catch {
            throw ForeignFailure(place: "\(path(name)):\(reader.line(of: error.offset))", words: error.words)
        }
    }

    /// Says that a file cannot be read.
    func failure(_ name: String, _ error: FileFailure) -> ForeignFailure {
        ForeignFailure(place: path(name) + (error.line.map { ":\($0)" } ?? ""), words: error.reason)
    }
}
