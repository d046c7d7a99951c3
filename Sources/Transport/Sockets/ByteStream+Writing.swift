internal import Glibc

extension ByteStream {
    /// Writes what is queued at the end of a turn, since the stream was in a list that a flag tells of; may close the
    /// stream, but tells nobody before the next turn.
    func flush(_ list: Flags) {
        flags.remove(list)
        guard phase == .open, !flags.contains(.isBlocked) else { return }
        write()
        updateInterest()
        if queue.isEmpty, phase == .open, flags.contains(.awaitsDrain) { loop.core.drainedStreams.append(self) }
    }

    /// Writes until the queue is empty or the kernel refuses; then the end, if asked for.
    func write() {
        flags.subtract([.isBlocked, .writeNeedsRead])
        while !queue.isEmpty {
            switch tls == nil ? writePlain() : writeRecord() {
            case .bytes(let count):
                bytesSent &+= UInt64(count)
                progressAt = loop.core.now
                queue.removeFirst(count)
            case .wantsWrite: return block([])
            case .wantsRead: return block(.writeNeedsRead)
            case .ended, .plainHTTP: return fail(.closed)
            case .failed(let error): return fail(error)
            }
        }
        if flags.contains(.isFinishing) { endWriting() }
    }

    /// Waits until the kernel takes bytes again; not for ever, where they are the last.
    private func block(_ why: Flags) {
        flags.formUnion([.isBlocked, why])
        if flags.contains(.isFinishing), deadline == .none { setDeadline(loop.core.closing.drain) }
    }

    private func writePlain() -> TLSSession.Outcome {
        let vector = unsafe loop.core.vector
        let runs = unsafe queue.gather(into: vector)
        while true {
            let count: Int
            if runs == 1 {
                count = unsafe Glibc.send(
                    descriptor.number, vector[0].iov_base, vector[0].iov_len, CInt(MSG_NOSIGNAL))
            } else {
                var message = unsafe msghdr()
                unsafe message.msg_iov = vector.baseAddress
                unsafe message.msg_iovlen = runs
                count = unsafe sendmsg(descriptor.number, &message, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM: return .wantsWrite
            default: return .failed(.last("send"))
            }
        }
    }

    /// Writes one TLS record of up to 16 KiB.
    ///
    /// A record that could not be written must be tried again with the same bytes first (`SSL_write`); they are,
    /// because the queue keeps its front until it is taken.
    private func writeRecord() -> TLSSession.Outcome {
        guard let tls, let front = unsafe queue.front else { return .wantsRead }
        if front.count >= LoopCore.recordSize || front.count == queue.count {
            return unsafe tls.write(UnsafeRawBufferPointer(rebasing: front.prefix(LoopCore.recordSize)))
        }
        let record = unsafe loop.core.recordBuffer
        let count = unsafe queue.copyFront(into: record)
        return unsafe tls.write(UnsafeRawBufferPointer(rebasing: record[..<count]))
    }

    /// Writing has failed: the queue is lost, but what the peer sent before it went is still delivered.
    private func fail(_ error: TransportError) {
        queue.removeAll()
        guard mayRead, phase == .open, !flags.contains(.isFinishing) else { return close(error) }
        flags.insert(.isBroken)
    }

    /// What a stream whose writing has failed is closed with.
    var brokenReason: TransportError { .system(call: "send", errno: EPIPE) }

    /// Announces our end, once everything is written.
    private func endWriting() {
        if let tls, !flags.contains(.closeNotifySent) {
            switch tls.shutDown() {
            case .wantsWrite: return block([])
            case .wantsRead, .bytes, .ended, .plainHTTP, .failed: flags.insert(.closeNotifySent)
            }
        }
        if flags.contains(.peerHasFinished) { return close(nil) }
        _ = shutdown(descriptor.number, CInt(SHUT_WR))
        phase = .ending
        setDeadline(loop.core.closing.linger)
    }
}
