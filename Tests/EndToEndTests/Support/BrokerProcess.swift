import Foundation
import Testing

/// A broker of its own for a test: the real binary, ready to serve.
struct BrokerProcess {
    let program: Program

    /// The addresses that it listens on, in the order in which it said so.
    let addresses: [String]

    /// The WebSocket address of the first listener.
    var url: String { addresses[0] }

    /// Starts one and waits until it can serve on all its listeners; `words` are added to `serve`.
    static func start(_ words: [String], listeners: Int = 1) async throws -> BrokerProcess {
        let program = try Program(Places.fanfare, ["serve"] + words, lives: 600)
        do {
            let addresses = try await program.wait { record in
                let said = record.errors.split(separator: "\n").compactMap { line in
                    line.firstRange(of: "listening on ").map { String(line[$0.upperBound...]) }
                }
                return said.count == listeners ? said : nil
            }
            return BrokerProcess(program: program, addresses: addresses)
        } catch {
            program.send(SIGKILL)
            throw error
        }
    }

    /// Runs the body against a broker in development mode, on a free port and with an empty store; it is ended by SIGTERM
    /// and has to end well, or by force when the body throws.
    static func run<Result>(
        _ words: [String] = [], listeners: Int = 1, in folder: URL? = nil,
        _ body: (BrokerProcess) async throws -> Result
    ) async throws -> Result {
        guard let folder else {
            return try await Places.withFolder { try await run(words, listeners: listeners, in: $0, body) }
        }
        let own = ["--dev", "--moderator", "mod", "--listen", "127.0.0.1:0", "--data", folder.path()]
        return try await run(only: own + words, listeners: listeners, body)
    }

    /// As `run`, with no words but those given.
    static func run<Result>(
        only words: [String], listeners: Int = 1, _ body: (BrokerProcess) async throws -> Result
    ) async throws -> Result {
        let broker = try await start(words, listeners: listeners)
        let result: Result
        do {
            result = try await body(broker)
        } catch {
            broker.program.send(SIGKILL)
            _ = await broker.program.end()
            throw error
        }
        broker.program.send(SIGTERM)
        broker.program.endByForce(after: 30)
        let (status, record) = await broker.program.end()
        #expect(status == 0, "the broker ends with 0 on SIGTERM; it said: \(record.errors)")
        return result
    }
}
