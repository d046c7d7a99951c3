import Glibc
import Transport

/// A peer for conformance suites: it sends every WebSocket message back, as server or as client.
///
///     websocket-echo server --listen 127.0.0.1:9002 [--tls-cert FILE --tls-key FILE]
///     websocket-echo client [--tls-relay ADDR] ws://127.0.0.1:9001
@main
struct WebSocketEcho {
    @concurrent
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            ignoreBrokenPipes()
            let loop = try EventLoop(name: "echo")
            switch (words.first, words.count) {
            case ("server", 3...):
                try serve(options(words.dropFirst()), on: loop)
                while true { pause() }
            case ("client", 2), ("client", 4):
                let relay = options(words.dropFirst().dropLast())["--tls-relay"]
                let client = try EchoClient(words[words.count - 1], relay: relay, agent: "fanfare", on: loop)
                loop.start()
                try await client.run()
            default:
                fail(
                    "server --listen ADDR [--tls-cert FILE --tls-key FILE], or client [--tls-relay ADDR] URL", status: 2
                )
            }
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func serve(_ options: [String: String], on loop: EventLoop) throws {
        let address = try SocketAddress.parse(options["--listen"] ?? "127.0.0.1:0")
        var tls: TLSServerContext?
        if let certificate = options["--tls-cert"], let key = options["--tls-key"] {
            tls = try TLSServerContext(certificateFile: certificate, keyFile: key)
        }
        let found = try EchoServer().listen(on: loop, at: address, tls: tls)
        loop.start()
        say("listening on \(tls == nil ? "ws" : "wss")://\(found)/")
    }

    /// Options as pairs of name and value.
    private static func options(_ words: ArraySlice<String>) -> [String: String] {
        var options: [String: String] = [:]
        var rest = words
        while let name = rest.popFirst() {
            guard name.hasPrefix("--"), let value = rest.popFirst() else {
                fail("'\(name)' is no option with a value", status: 2)
            }
            options[name] = value
        }
        return options
    }

    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        say("websocket-echo: " + text)
        exit(status)
    }
}
