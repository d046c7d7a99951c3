import Foundation
import Fuzzing
import Testing

@Suite("Inputs that fuzzing found")
struct CorpusTests {
    @Test("Every input of the corpus keeps the rules", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) async throws {
        let inputs = try Corpus.inputs(for: target)
        #expect(!inputs.isEmpty)
        for (line, input) in inputs {
            #expect(throws: Never.self, "line \(line) of the corpus") { try target.check(input) }
            // Tests that wait for something run beside this one.
            await Task.yield()
        }
    }
}

/// The inputs that are kept: a file for each target, an input on each line, in base64; `#` begins a remark.
enum Corpus {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzzing/Corpus")

    static func inputs(for target: FuzzTarget) throws -> [(line: Int, input: [UInt8])] {
        let text = try String(contentsOf: folder.appending(path: target.rawValue + ".base64"), encoding: .utf8)
        var inputs: [(line: Int, input: [UInt8])] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            let input = try #require(Data(base64Encoded: String(line)), "line \(index + 1) is not base64")
            inputs.append((index + 1, Array(input)))
        }
        return inputs
    }
}
