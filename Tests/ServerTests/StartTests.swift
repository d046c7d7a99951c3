import Broker
import Foundation
import Storage
import Testing
import Transport

@testable import Server

/// What a start that comes to nothing leaves behind, and an end says.
@Suite(.timeLimit(.minutes(5)))
struct StartTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")

    private func start(_ listen: [String]) throws -> Server {
        let settings = ServerSettings(
            listen: try listen.map { .init(address: try SocketAddress.parse($0)) }, data: folder.path(), store: .sqlite,
            broker: BrokerSettings(namespaces: [:], authenticator: Authenticator(tokens: nil, development: nil)))
        return try Server(settings, loopCount: 1, log: BrokerLog { _ in })
    }

    @Test("a port that is in use: no folder is made, and no store")
    func occupied() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let other = try ListeningSocket(try SocketAddress.parse("127.0.0.1:0"))
        let error = #expect(throws: ServerError.self) { try start(["127.0.0.1:0", "\(other.address)"]) }
        #expect(error.map { "\($0)" }?.contains("Address already in use") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }

    @Test("a store whose file was cut short under it is no orderly end")
    func cut() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try start(["127.0.0.1:0"]).stop(DrainSettings(withinMilliseconds: 1_000)))
        let server = try start(["127.0.0.1:0"])
        let file = folder.appending(path: "fanfare.db")
        try FileHandle(forWritingTo: file).truncate(atOffset: 4_096)
        #expect(!server.stop(DrainSettings(withinMilliseconds: 1_000)))
        #expect(try Data(contentsOf: file).count == 4_096)
    }
}
