import Transport

extension Hub {
    /// A channel that lives here.
    final class Resident {
        let channel: Channel
        var isMarked = false
        /// Whether the store must be asked for it, or is being asked.
        var isUnread = true
        var isBeingRead = false
        /// When that was last begun.
        var readBegan: MonotonicTime?
        var usedAt: MonotonicTime
        /// When the store answered for what the channel lets out in this turn.
        var releasedAt: MonotonicTime?
        /// How long its changes take into the shared log.
        var batchTimer = BatchTimer()
        /// How far it had come when someone last looked; `nil`: nobody has.
        var pulse: ChannelPulse?
        /// The timer for what the channel tells although nothing happens, and when it is due on the channel's clock.
        var timer: (token: TimerToken, due: Int64)?

        init(_ channel: Channel, at time: MonotonicTime) {
            self.channel = channel
            usedAt = time
        }
    }
}
