internal import Glibc

extension ByteStream: EventSource {
    func handle(_ events: PollEvents) {
        switch phase {
        case .announcing: return continueAnnouncement()
        case .connecting: return finishConnecting()
        case .handshaking: return continueHandshake()
        case .open, .ending: break
        case .closed: return
        }
        if events.contains(.failed), !mayRead { return close(pendingError) }
        // Reading comes first: what a peer sent before it went must be delivered before a write notices that it is
        // gone.
        let canRead = !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed])
        let canWrite = events.contains(.writable)
        if canRead || (canWrite && flags.contains(.readNeedsWrite)) {
            flags.remove(.readNeedsWrite)
            if mayRead { receive(isAtEnd: events.contains(.peerFinished)) }
        }
        guard phase != .closed else { return }
        if flags.contains(.isBlocked), canWrite || events.contains(.hungUp) || flags.contains(.writeNeedsRead) {
            writeAgain()
        }
        guard phase != .closed else { return }
        if events.contains(.hungUp) { hangUp() }
        updateInterest()
    }

    /// Goes on with what the kernel had refused.
    private func writeAgain() {
        let hadBytes = !queue.isEmpty
        write()
        if hadBytes { tellDrained() }
    }

    /// Tells the delegate that the queue is empty, if it is.
    func tellDrained() {
        guard phase == .open, queue.isEmpty, flags.isDisjoint(with: [.isFinishing, .isBroken]) else { return }
        flags.remove(.awaitsDrain)
        delegate?.streamDidDrain(self)
    }

    /// Both directions are over, and epoll would say so for ever.
    private func hangUp() {
        if flags.contains(.isBroken), !mayRead {
            close(brokenReason)
        } else if flags.contains(.peerHasFinished) {
            close(queue.isEmpty ? nil : pendingError)
        } else if flags.contains(.isPaused), !flags.contains(.isUnwatched) {
            flags.insert(.isUnwatched)
            loop.core.poller.unwatch(descriptor.number)
        }
    }

    /// The error that the kernel holds for the socket.
    var pendingError: TransportError {
        var number: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let result = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &number, &length)
        guard result == 0, number != 0 else { return .closed }
        return .system(call: phase == .connecting ? "connect" : "recv", errno: number)
    }

    func loopDidEnd() {
        close(.closed)
    }

    /// What the kernel is to report in the present state.
    private var interest: PollEvents {
        var interest: PollEvents = []
        switch phase {
        case .announcing: return .readable
        case .connecting: return .writable
        case .handshaking: return flags.contains(.readNeedsWrite) ? .writable : .readable
        case .open, .ending: break
        case .closed: return []
        }
        if mayRead { interest.formUnion([.readable, .peerFinished]) }
        if flags.contains(.isBlocked), !flags.contains(.writeNeedsRead) { interest.insert(.writable) }
        if flags.contains(.readNeedsWrite) { interest.insert(.writable) }
        if flags.contains(.writeNeedsRead) { interest.insert(.readable) }
        return interest
    }

    /// Tells the kernel what to report, if that has changed.
    func updateInterest() {
        guard phase != .closed else { return }
        let interest = interest
        if flags.contains(.isUnwatched) {
            if mayRead { watch(interest) }
        } else if interest != watched {
            watched = interest
            loop.core.poller.change(descriptor.number, interest, for: registration)
        }
    }

    /// Begins to watch the socket; the stream closes if the kernel has no memory for that.
    private func watch(_ interest: PollEvents) {
        flags.remove(.isUnwatched)
        watched = interest
        do {
            try loop.core.poller.watch(descriptor.number, interest, for: registration)
        } catch {
            close(error)
        }
    }

    /// Begins to watch a new socket for what the present phase needs.
    func watch() {
        watch(interest)
    }
}
