import HTTP
import Synchronization
import Testing
import Transport

@testable import Broker

/// The client that webhooks and hooks use, against a server that says what a test wants.
@Suite struct HTTPClientTests {
    private static let empty = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test("a request is whole, and its answer comes back")
    func exchange() async throws {
        let server = try ScriptedServer(["HTTP/1.1 418 Teapot\r\nA: b\r\nContent-Length: 2\r\n\r\nhi"])
        let answer = try await server.post().get()
        #expect(answer.status == 418)
        #expect(answer.headers["a"] == "b")
        #expect(answer.body == Array("hi".utf8))
        #expect(
            server.requests == [
                "POST /x?y HTTP/1.1\r\nhost: 127.0.0.1:\(server.port)\r\ncontent-length: 4\r\nf: v\r\n\r\nbody"
            ])
    }

    @Test("connections are used again, where the server lets it")
    func reuse() async throws {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([Self.empty, Self.empty, closing, Self.empty])
        for _ in 0..<4 { _ = try await server.post().get() }
        #expect(server.connections == 2)
        #expect(server.requests.count == 4)
    }

    @Test("a kept connection that the server closes meanwhile costs no request")
    func staleConnection() async throws {
        let server = try ScriptedServer([Self.empty, "", Self.empty])
        for _ in 0..<2 { #expect(try await server.post().get().status == 204) }
        #expect(server.connections == 2)
        #expect(server.requests.count == 3)
    }

    @Test("a new connection that is closed without an answer is a failure")
    func noAnswer() async throws {
        let server = try ScriptedServer([""])
        #expect(await server.post().failure == "the connection was closed without an answer")
    }

    @Test(
        "what is no answer is a failure",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "what?\r\n\r\n", "\u{0}", "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n",
        ])
    func garbage(text: String) async throws {
        let server = try ScriptedServer([text], closesAlways: true)
        #expect(await server.post().failure != nil)
    }

    @Test("an answer that does not come is a failure in time")
    func timeOut() async throws {
        let server = try ScriptedServer(["HTTP/1.1 200 OK\r\n"])
        #expect(await server.post(timeout: .milliseconds(50)).failure == ClientError.timedOut.description)
        #expect(await server.post().failure == nil, "the next request goes on")
    }

    @Test("where nobody listens, and where no name is, is a failure")
    func unreachable() async throws {
        let server = try ScriptedServer([])
        server.stopListening()
        #expect(await server.post().failure?.contains("connect") == true)
        #expect(
            await server.post(url: "http://no-such-host.invalid/").failure?.contains("no-such-host.invalid") == true)
    }

    @Test("requests past the bound on connections wait, and past the bound on those fail at once")
    func bounds() async throws {
        let server = try ScriptedServer([nil, nil, Self.empty], maxConnections: 2, maxWaiting: 1)
        let first = server.begin()
        let second = server.begin()
        await server.heard(2)
        let third = server.begin()
        #expect(await server.post().failure == ClientError.busy.description)
        #expect(server.connections == 2)
        server.say(Self.empty)
        for answer in [first, second, third] { #expect(try await answer().get().status == 204) }
        #expect(server.connections == 2)
        #expect(server.requests.count == 3)
    }
}

extension Result<ClientAnswer, ClientError> {
    var failure: String? { if case .failure(let error) = self { error.description } else { nil } }
}
