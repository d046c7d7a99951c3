import FanfareClient
import Glibc
import Transport
import Wire

/// The live view of `fanfare watch`: the thread of `main` draws and hears keys, the client feeds a board that both share.
enum LiveView {
    /// The shortest time between two pictures: 15 a second.
    private static let frame = Duration.milliseconds(66)
    /// How often the size of the screen is looked at while nothing happens, in milliseconds.
    private static let idle: CInt = 500

    /// Shows a channel until a key or a signal ends it.
    ///
    /// - Returns: The exit code.
    /// - Throws: ``ClientError`` where the broker refuses or the client gives up, once the terminal is as it was.
    static func run(
        _ client: ReactionClient, _ channel: String, _ mode: Mode, _ output: StandardOutput
    ) throws -> Int32 {
        let feed = try BoardFeed(Board(channel: channel, mode: mode, clock: .local))
        try onInterruption { feed.end(nil) }
        let reader = Task {
            for await update in client.events(in: channel, mode: mode) {
                if case .ended(let error) = update { feed.end(error) } else { feed.take(update) }
            }
            feed.end(nil)
        }
        let error = show(feed, output)
        reader.cancel()
        try blocking { await client.close() }
        if let error { throw error }
        return ExitCode.done
    }

    /// Draws and hears keys until the end.
    ///
    /// - Returns: Why it came to its end; `nil` where someone wanted it.
    private static func show(_ feed: BoardFeed, _ output: StandardOutput) -> ClientError? {
        var terminal = Terminal(output, usesColors: environment(["NO_COLOR"])["NO_COLOR", default: ""].isEmpty)
        var nextFrame = MonotonicTime.now
        var descriptors = [
            pollfd(fd: feed.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.hasKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if let end = feed.takeEnd() { return end.error }
            let now = MonotonicTime.now
            if now >= nextFrame {
                guard terminal.show(feed.takeBoard()) else { return nil }
                nextFrame = now + frame
            }
            wait(for: &descriptors, feed, until: nextFrame)
            if descriptors[1].revents != 0 {
                guard let keys = terminal.keys() else {
                    descriptors[1].fd = -1
                    continue
                }
                if keys.contains(where: isEnd) { return nil }
            }
        }
    }

    /// Waits for something to show or a key; where something is to be shown already, for its time.
    private static func wait(for descriptors: inout [pollfd], _ feed: BoardFeed, until nextFrame: MonotonicTime) {
        let left = CInt(clamping: Int(max(.zero, nextFrame - .now) / .milliseconds(1)) + 1)
        // The count is that of the array, which the pointer holds for during the call.
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), feed.isChanged ? left : idle)
        feed.drain()
    }

    /// Whether a key ends the view: `q`, Control-C or Control-D.
    private static func isEnd(_ key: UInt8) -> Bool {
        key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") || key == 3 || key == 4
    }
}
