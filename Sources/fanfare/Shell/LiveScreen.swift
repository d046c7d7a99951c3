import Glibc
import Transport

/// A live view on a terminal: the thread of `main` draws what a feed has, and hears keys.
enum LiveScreen {
    /// The shortest time between two pictures: 15 a second.
    private static let frame = Duration.milliseconds(66)
    /// How often the size of the screen is looked at while nothing happens, in milliseconds.
    private static let idle: CInt = 500

    /// Draws and hears keys until the end.
    ///
    /// - Parameters:
    ///   - feed: What is shown.
    ///   - output: Standard output.
    ///   - rows: The screen of what is shown, for its width and height.
    /// - Returns: Why it came to its end; `nil` where someone wanted it.
    static func show<Content>(
        _ feed: LiveFeed<Content>, _ output: StandardOutput, rows: (Content, Int, Int) -> [Row]
    ) -> (any Error)? {
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
                let content = feed.take()
                guard terminal.show({ rows(content, $0, $1) }) else { return nil }
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
    private static func wait<Content>(
        for descriptors: inout [pollfd], _ feed: LiveFeed<Content>, until nextFrame: MonotonicTime
    ) {
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
