@testable import HTTP

extension [UInt8] {
    init(_ text: String) { self.init(text.utf8) }
}

/// What became of bytes that were fed to a parser.
enum Parsed {
    case head(RequestHead, consumed: Int)
    case incomplete
    case refused(HTTPError)

    var head: RequestHead? { if case .head(let head, _) = self { head } else { nil } }
    var status: Int? { if case .refused(let error) = self { error.status } else { nil } }

    /// All that can be compared, as text.
    var summary: String {
        switch self {
        case .head(let head, let consumed): "\(head) \(consumed)"
        case .incomplete: "incomplete"
        case .refused(let error): "\(error)"
        }
    }
}

/// Feeds growing prefixes, as a connection does whose bytes arrive cut at the given lengths.
func parse(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits(), cuts: [Int] = []) -> Parsed {
    var parser = RequestHeadParser(limits: limits)
    do throws(HTTPError) {
        for end in cuts + [bytes.count] {
            if let (head, consumed) = try parser.parse(bytes.span.extracting(first: end)) {
                return .head(head, consumed: consumed)
            }
        }
        return .incomplete
    } catch {
        return .refused(error)
    }
}

func parse(_ text: String) -> Parsed { parse([UInt8](text)) }

/// What became of a body.
struct Body: Equatable {
    var bytes: [UInt8] = []
    var consumed = 0
    var isComplete = false
    var status: Int?
}

/// Feeds a body in pieces.
func read(_ pieces: [[UInt8]], after head: RequestHead, limit: Int = 1_000) -> Body {
    var body = Body()
    do throws(HTTPError) {
        var reader = try BodyReader(for: head, limit: limit)
        body.isComplete = reader.isComplete
        for piece in pieces {
            let count = try reader.receive(piece.span)
            body.consumed += count
            body.bytes = reader.body
            body.isComplete = reader.isComplete
        }
    } catch {
        body.status = error.status
    }
    return body
}

let chunkedHead = RequestHead(method: "PUT", target: "/", isChunked: true)
