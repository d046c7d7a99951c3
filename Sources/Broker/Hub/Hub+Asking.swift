import Transport

// How requests come to their channels.
extension Hub {
    /// Hands a request of a recipient here to its channel, here or on another loop; there will be one answer.
    func ask(_ request: ChannelRequest) {
        recipients[request.origin.connection]?.asked += 1
        if isGathering { gathered.append(request) } else { pass([request]) }
    }

    /// Runs what asks for several things, which are handed over together when it is done.
    func gather(_ body: () -> Void) {
        let isFirst = !isGathering
        isGathering = true
        body()
        guard isFirst else { return }
        isGathering = false
        handleGathered()
    }

    /// Hands over what was gathered so far.
    func handleGathered() {
        while !gathered.isEmpty {
            let requests = gathered
            gathered = []
            pass(requests[...])
        }
    }

    /// Hands requests over in their order, those in a row for one channel together.
    private func pass(_ requests: ArraySlice<ChannelRequest>) {
        var start = requests.startIndex
        while start < requests.endIndex {
            let channel = requests[start].channel
            var end = start + 1
            while end < requests.endIndex, requests[end].channel == channel { end += 1 }
            pass(requests[start..<end], to: channel)
            start = end
        }
    }

    private func pass(_ requests: ArraySlice<ChannelRequest>, to channel: String) {
        if let resident = residents[channel], !resident.isUnread { return handle(requests, in: resident) }
        let home = home(of: channel)
        guard home == index else {
            for request in requests { hubs[home].post(.request(request)) }
            return
        }
        do throws(RequestRefusal) {
            handle(requests, in: try resident(channel))
        } catch {
            for request in requests { refuse(request, error) }
        }
    }

    private func handle(_ requests: ArraySlice<ChannelRequest>, in resident: Resident) {
        resident.usedAt = loop.now
        let (group, moment) = (group, moment)
        resident.channel.onLoop { channel in
            for request in requests { channel.handle(request, group: group, at: moment) }
        }
        mark(resident)
    }
}
