import FanfareClient
import Wire

/// The live view of `fanfare watch`: the client feeds a board that the thread of `main` draws.
enum LiveView {
    /// Shows a channel until a key or a signal ends it.
    ///
    /// - Returns: The exit code.
    /// - Throws: ``ClientError`` where the broker refuses or the client gives up, once the terminal is as it was.
    static func run(
        _ client: ReactionClient, _ channel: String, _ mode: Mode, _ output: StandardOutput
    ) throws -> Int32 {
        let feed = try LiveFeed(Board(channel: channel, mode: mode, clock: .local))
        try onInterruption { _ in feed.end(nil) }
        let reader = Task {
            for await update in client.events(in: channel, mode: mode) {
                if case .ended(let error) = update { feed.end(error) } else { feed.change { $0.take(update) } }
            }
            feed.end(nil)
        }
        let error = LiveScreen.show(feed, output) { $0.rows(width: $1, height: $2) }
        reader.cancel()
        try blocking { await client.close() }
        if let error { throw error }
        return ExitCode.done
    }
}
