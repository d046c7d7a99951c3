internal import Glibc

extension ByteStream {
    /// How many reads one event may bring, so that a fast sender leaves time for others.
    static let readsPerEvent = 4

    /// Reads what has come, as far as one event may; `isAtEnd`: the kernel says that the peer's end is behind it.
    func receive(isAtEnd: Bool = false) {
        let buffer = unsafe loop.core.readBuffer
        for _ in 0..<Self.readsPerEvent {
            let outcome = unsafe readOnce(into: buffer)
            if let tls, tls.isFlooded(moreThan: loop.core.closing.controlRecordsPerSecond, at: loop.core.now) {
                loop.core.expired.controlRecords += 1
                return close(.tls("too many records that carry no data"))
            }
            switch outcome {
            case .bytes(let count):
                unsafe deliver(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
                // A short read has emptied the socket; what comes later is another event.
                guard mayRead, count == buffer.count || tls?.hasPending == true else {
                    if isAtEnd, count < buffer.count { skipEnd() }
                    return
                }
            case .wantsRead: return
            case .wantsWrite:
                flags.insert(.readNeedsWrite)
                return updateInterest()
            case .ended: return peerFinished()
            case .plainHTTP: return close(.tls("the peer speaks plain HTTP"))
            case .failed(let error):
                // Once our end is announced, the way in which the peer ends does not matter.
                return close(phase == .ending ? nil : error)
            }
        }
        if tls?.hasPending == true { readOnNextTurn() }
    }

    /// Whether bytes may be asked for: not when paused, closed, or at the peer's end.
    var mayRead: Bool {
        phase.rawValue >= Phase.open.rawValue && phase != .closed
            && flags.isDisjoint(with: [.isPaused, .peerHasFinished])
    }

    private func readOnce(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Outcome {
        if let tls { return unsafe tls.read(into: buffer) }
        while true {
            let count = unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantsRead
            default: return .failed(.last("recv"))
            }
        }
    }

    private func deliver(_ bytes: UnsafeMutableRawBufferPointer) {
        bytesReceived &+= UInt64(bytes.count)
        receivedAt = loop.core.now
        guard phase == .open, !flags.contains(.isFinishing), let delegate else { return }
        // The buffer is the loop's, initialised, and read into by nobody else during the call.
        var span = unsafe MutableRawSpan(_unsafeBytes: bytes)
        delegate.stream(self, didReceive: &span)
    }

    /// The peer will send no more.
    private func peerFinished() {
        flags.insert(.peerHasFinished)
        if flags.contains(.isBroken) { return close(brokenReason) }
        if phase == .ending { return close(nil) }
        if phase == .open, !flags.contains(.isFinishing) { delegate?.streamDidFinishReading(self) }
        writeLast()
        updateInterest()
    }

    /// Takes the peer's end for read, where nothing hangs on it any more: what it sends would be dropped.
    private func skipEnd() {
        // With TLS the end of the bytes is not that of what they hold.
        guard tls == nil, phase == .open, flags.contains(.isFinishing) else { return }
        flags.insert(.peerHasFinished)
        writeLast()
    }

    /// Writes what is left where both ends are over: the end of the turn brings nothing to join it with.
    private func writeLast() {
        guard phase == .open, flags.isSuperset(of: [.isFinishing, .peerHasFinished]), !flags.contains(.isBlocked)
        else { return }
        write()
    }

    /// Has the loop read on in its next turn, without waiting for an event.
    func readOnNextTurn() {
        guard mayRead, !flags.contains(.isReadingOn) else { return }
        flags.insert(.isReadingOn)
        loop.core.readingStreams.append(self)
    }

    /// Reads on, because the last event was cut short.
    func continueReading() {
        flags.remove(.isReadingOn)
        if mayRead { receive() }
    }
}
