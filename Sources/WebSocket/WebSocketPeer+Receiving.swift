extension WebSocketPeer {
    /// Reads bytes of the other end, all of them; what is incomplete is kept until more comes.
    ///
    /// Unmasks in place. A message that lies whole in `bytes` and in one frame is handed over without a copy. Pings and
    /// close frames are answered. A violation appends the right close frame, sets ``failure`` and closes; bytes that
    /// come after that, or after a close frame, are ignored.
    ///
    /// - Parameters:
    ///   - bytes: What has arrived, cut anywhere.
    ///   - output: Where the answers go. More than 16 KiB of pongs a call are cut down to the newest (section 5.5.3).
    ///   - handler: What is told about messages and control frames.
    public mutating func receive<Handler: WebSocketHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, answering output: inout [UInt8], _ handler: inout Handler
    ) {
        var offset = 0
        var answers = Answers(after: output.count)
        do throws(WebSocketError) {
            while state != .closed {
                if frame == nil {
                    let rest = Span<UInt8>(_bytes: bytes.bytes.extracting(offset...))
                    guard let header = try readHeader(rest, &offset) else { return }
                    try admit(header)
                    frame = header
                }
                guard let part = takePayload(&bytes, &offset) else { return }
                let payload = Span<UInt8>(_bytes: bytes.bytes.extracting(part.range))
                if part.header.opcode.isControl {
                    try receiveControl(payload, of: part.header, &answers, &output, &handler)
                } else {
                    try receiveData(payload, of: part.header, &output, &handler)
                }
            }
        } catch {
            fail(error, into: &output)
        }
    }

    /// Reads the next header, moving `offset` past what it took; `nil` where it is not all there, and is kept.
    private mutating func readHeader(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(WebSocketError) -> FrameHeader? {
        if pending.isEmpty, let header = try FrameHeader.read(bytes, as: role, mayBeCompressed: compression != nil) {
            offset += Int(header.byteCount)
            return header
        }
        for index in 0..<bytes.count {
            pending.append(bytes[index])
            offset += 1
            if let header = try FrameHeader.read(pending.span, as: role, mayBeCompressed: compression != nil) {
                pending = []
                return header
            }
        }
        return nil
    }

    /// Checks a header against the message under way and the limits, before anything is kept of its payload.
    private mutating func admit(_ header: FrameHeader) throws(WebSocketError) {
        if header.opcode.isControl { return }
        if header.opcode == .continuation {
            guard messageKind != nil else { throw .unexpectedContinuation }
        } else {
            guard messageKind == nil else { throw .unfinishedMessage }
            messageKind = header.opcode
            fragmentCount = 0
            compression?.beginMessage(isCompressed: header.isCompressed)
        }
        guard Int(fragmentCount) < limits.maxFragments else { throw .tooManyFragments }
        fragmentCount += 1
        guard header.remaining <= limits.maxFrameBytes else { throw .frameTooLong }
        // Neither ever holds more than the limit, so the difference is not negative.
        let before = compression?.compressedBytes ?? assembly.count
        guard header.remaining <= limits.maxMessageBytes - before else { throw .messageTooLong }
    }

    /// Unmasks what is there of the current frame's payload and ends the frame where that is all of it.
    ///
    /// - Returns: `nil` where more is needed before anything can be said.
    private mutating func takePayload(
        _ bytes: inout MutableRawSpan, _ offset: inout Int
    ) -> (header: FrameHeader, range: Range<Int>)? {
        guard var header = frame else { return nil }
        let count = min(header.remaining, bytes.byteCount - offset)
        if count == 0 && header.remaining > 0 { return nil }
        let range = offset..<(offset + count)
        if header.maskingKey != 0 {
            header.maskingKey = Masking.apply(header.maskingKey, to: &bytes, in: range)
        }
        header.remaining -= count
        offset += count
        frame = header.remaining == 0 ? nil : header
        return (header, range)
    }

    private mutating func fail(_ error: WebSocketError, into output: inout [UInt8]) {
        if state == .open {
            appendClose(error.closeCode, error.description, to: &output)
        }
        failure = error
        finish()
    }

    /// Ends reading for good and frees what was kept for it.
    private mutating func finish() {
        state = .closed
        frame = nil
        pending = []
        dropMessage()
        compression?.end()
    }
}

// MARK: - Messages

extension WebSocketPeer {
    private mutating func receiveData<Handler: WebSocketHandler & ~Copyable>(
        _ piece: Span<UInt8>, of header: FrameHeader, _ output: inout [UInt8], _ handler: inout Handler
    ) throws(WebSocketError) {
        guard let kind = messageKind else { throw .unexpectedContinuation }
        let isLast = header.isFinal && header.remaining == 0
        if isLast { messageKind = nil }
        guard state == .open else { return }
        if let compression, compression.isInflating {
            try inflate(piece, compression, kind, isLast: isLast)
            guard isLast else { return }
            let message = assembly
            dropMessage()
            deliver(message.span, as: kind, to: &handler)
        } else if isLast && assembly.isEmpty {
            if kind == .text {
                guard UTF8.isValid(piece) else { throw .invalidUTF8 }
            }
            deliver(piece, as: kind, to: &handler)
        } else {
            if kind == .text {
                guard checker.accept(piece) else { throw .invalidUTF8 }
                guard !isLast || checker.isComplete else { throw .invalidUTF8 }
            }
            assembly.append(piece)
            guard isLast else { return }
            let message = assembly
            dropMessage()
            deliver(message.span, as: kind, to: &handler)
        }
        closeIfWanted(by: handler, into: &output)
    }

    /// Adds what a piece of a compressed message stands for; text is checked as far as it is there.
    private mutating func inflate(
        _ piece: Span<UInt8>, _ compression: MessageCompression, _ kind: WebSocketOpcode, isLast: Bool
    ) throws(WebSocketError) {
        let start = assembly.count
        try compression.inflate(piece, isLast: isLast, limit: limits.maxMessageBytes, into: &assembly)
        guard kind == .text else { return }
        var checker = checker
        guard checker.accept(assembly.span.extracting(start...)), !isLast || checker.isComplete else {
            throw .invalidUTF8
        }
        self.checker = checker
    }

    private func deliver<Handler: WebSocketHandler & ~Copyable>(
        _ message: Span<UInt8>, as kind: WebSocketOpcode, to handler: inout Handler
    ) {
        if kind == .text {
            handler.received(text: message)
        } else {
            handler.received(binary: message)
        }
    }

    private mutating func closeIfWanted<Handler: WebSocketHandler & ~Copyable>(
        by handler: borrowing Handler, into output: inout [UInt8]
    ) {
        guard let close = handler.wantsClose else { return }
        sendClose(code: close.code, reason: close.reason, into: &output)
    }
}

// MARK: - Control frames

extension WebSocketPeer {
    /// Where the pongs of one call stand in the output, so that they stay bounded.
    private struct Answers {
        static let maxBytes = 16_384
        private let start: Int
        private var newest: Int

        init(after count: Int) {
            start = count
            newest = count
        }

        /// Makes room for one more pong: past the bound it takes the place of the one before it.
        mutating func prepareForPong(_ output: inout [UInt8]) {
            if output.count - start >= Self.maxBytes {
                output.removeLast(output.count - newest)
            }
            newest = output.count
        }
    }

    private mutating func receiveControl<Handler: WebSocketHandler & ~Copyable>(
        _ piece: Span<UInt8>, of header: FrameHeader, _ answers: inout Answers, _ output: inout [UInt8],
        _ handler: inout Handler
    ) throws(WebSocketError) {
        if header.remaining == 0 && pending.isEmpty {
            try answerControl(header.opcode, piece, &answers, &output, &handler)
            return
        }
        pending.append(piece)
        guard header.remaining == 0 else { return }
        let payload = pending
        pending = []
        try answerControl(header.opcode, payload.span, &answers, &output, &handler)
    }

    private mutating func answerControl<Handler: WebSocketHandler & ~Copyable>(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, _ answers: inout Answers, _ output: inout [UInt8],
        _ handler: inout Handler
    ) throws(WebSocketError) {
        if opcode == .close {
            try answerClose(payload, &output, &handler)
            return
        }
        guard state == .open else { return }
        if opcode == .ping {
            handler.receivedPing(payload)
            answers.prepareForPong(&output)
            append(.pong, payload, to: &output)
        } else {
            handler.receivedPong(payload)
        }
        closeIfWanted(by: handler, into: &output)
    }

    private mutating func answerClose<Handler: WebSocketHandler & ~Copyable>(
        _ payload: Span<UInt8>, _ output: inout [UInt8], _ handler: inout Handler
    ) throws(WebSocketError) {
        guard payload.count != 1 else { throw .truncatedCloseCode }
        let code: UInt16? = payload.isEmpty ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1])
        if let code {
            guard WebSocketCloseCode.mayBeSent(code) else { throw .invalidCloseCode(code) }
        }
        let reason = payload.extracting(droppingFirst: 2)
        guard UTF8.isValid(reason) else { throw .invalidUTF8 }
        if state == .open {
            appendClose(code, "", to: &output)
        }
        closeReceived = code ?? WebSocketCloseCode.noStatus
        finish()
        handler.receivedClose(code: code, reason: reason)
    }
}
