import Foundation

/// What a server answered.
struct Answer {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a JSON object; empty where it is none.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// The strings of a field, in the form `a, b`, of all fields of a name.
    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    var code: String? { json["code"] as? String }
}

/// A client's end of a connection that speaks HTTP, written for the tests alone.
final class HTTPSocket {
    struct Malformed: Error {
        var bytes: String
    }

    let socket: RawSocket
    private var buffer: [UInt8] = []

    init(_ socket: RawSocket) {
        self.socket = socket
    }

    func send(_ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]) throws {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        try send(text + "\r\n" + (body ?? ""))
    }

    func send(_ text: String) throws {
        try socket.send(Array(text.utf8))
    }

    /// The next answer; `method` is what it answers to.
    func answer(to method: String = "GET") throws -> Answer {
        var answer = try head()
        guard method != "HEAD", answer.status != 304, answer.status != 204, answer.status >= 200 else { return answer }
        let length = answer["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < length { try receive() }
        answer.body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return answer
    }

    /// The head of the next answer.
    func head() throws -> Answer {
        let line = try self.line().split(separator: " ")
        guard line.count >= 2, line[0] == "HTTP/1.1", let status = Int(line[1]) else {
            throw Malformed(bytes: line.joined(separator: " "))
        }
        var headers: [(name: String, value: String)] = []
        while true {
            let field = try self.line()
            guard !field.isEmpty else { return Answer(status: status, headers: headers, body: []) }
            let colon = field.firstIndex(of: ":") ?? field.endIndex
            headers.append((String(field[..<colon]), field[colon...].dropFirst().trimmingCharacters(in: .whitespaces)))
        }
    }

    /// The next line, without its end.
    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                var line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                if line.last == 0x0D { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            try receive()
        }
    }

    /// Whether the server has closed, with nothing more to read.
    func isAtEnd() throws -> Bool {
        guard buffer.isEmpty else { return false }
        buffer = try socket.receive()
        return buffer.isEmpty
    }

    /// What was read of the socket and not taken.
    func rest() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    private func receive() throws {
        let bytes = try socket.receive()
        guard !bytes.isEmpty else { throw Malformed(bytes: "ended after: " + String(decoding: buffer, as: UTF8.self)) }
        buffer += bytes
    }
}

/// One event of a stream.
struct StreamEvent {
    var id: String?
    var retry: String?
    var data: String

    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any] ?? [:]
    }

    var type: String? { json["type"] as? String }
    var seq: Int? { json["seq"] as? Int }
}

extension HTTPSocket {
    /// The next event of a stream, by the rules of the HTML standard; comments are skipped.
    func event() throws -> StreamEvent {
        var event = StreamEvent(data: "")
        var data: [String] = []
        while true {
            let line = try line()
            if line.isEmpty {
                guard !data.isEmpty else { continue }
                event.data = data.joined(separator: "\n")
                return event
            } else if line.hasPrefix("data: ") {
                data.append(String(line.dropFirst(6)))
            } else if line.hasPrefix("id: ") {
                event.id = String(line.dropFirst(4))
            } else if line.hasPrefix("retry: ") {
                event.retry = String(line.dropFirst(7))
            } else if !line.hasPrefix(":") {
                throw Malformed(bytes: line)
            }
        }
    }
}
