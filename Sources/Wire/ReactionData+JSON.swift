public import Reactions

/// The JSON object that goes with a reaction: kept as it came, compared as a value (PROTOCOL.md section 3).
extension ReactionData {
    /// Reads data from the bytes of one JSON object.
    ///
    /// - Parameter json: The object, at most 1,024 bytes; white space around it is allowed and counts.
    /// - Returns: The object without white space between its tokens, and its canonical form.
    /// - Throws: ``BadRequest`` where it is none, is too long or too deep, or has a surrogate without a partner.
    public static func decode(_ json: Span<UInt8>) throws(BadRequest) -> ReactionData {
        guard json.count <= Shape.maxDataBytes else { throw .outOfRange(.data) }
        var scanner = JSONScanner(maxDepth: Request.maxDepth - 1)
        let value: JSONValue
        do throws(NotJSON) {
            guard try scanner.startsObject(json) else { throw NotJSON() }
            value = try scanner.document(json)
        } catch {
            throw BadRequest(error)
        }
        guard !scanner.hasLoneSurrogate, let data = ReactionData(value, in: json) else { throw .outOfRange(.data) }
        return data
    }

    /// Takes an object out of a text that was read before; `nil` where it is not UTF-8.
    init?(_ value: JSONValue, in text: Span<UInt8>) {
        let bytes = text.extracting(value.range)
        if CanonicalJSON.isCanonical(value, in: text) {
            let sent = String(copyingASCII: bytes)
            self.init(text: sent, canonical: sent)
            return
        }
        guard let sent = String(compacting: bytes), let canonical = CanonicalJSON.text(of: value, in: text) else {
            return nil
        }
        self.init(text: sent, canonical: canonical)
    }
}

extension String {
    /// Copies JSON without the white space between its tokens; line feeds would break server-sent events apart.
    fileprivate init?(compacting json: Span<UInt8>) {
        guard json.indices.contains(where: { json[$0].isWhiteSpace }) else {
            self.init(copying: json)
            return
        }
        var compact: [UInt8] = []
        compact.reserveCapacity(json.count)
        var isInString = false
        var isEscaped = false
        for index in json.indices {
            let byte = json[index]
            guard isInString || !byte.isWhiteSpace else { continue }
            compact.append(byte)
            if byte == .quote, !isEscaped { isInString.toggle() }
            isEscaped = byte == .backslash && !isEscaped
        }
        self.init(copying: compact.span)
    }
}
