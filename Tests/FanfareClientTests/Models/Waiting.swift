import Observation

/// Waits until something holds that observable objects tell of.
@MainActor
func wait(until condition: () -> Bool) async {
    while !condition() {
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = condition()
            } onChange: {
                continuation.resume()
            }
        }
        // It is told before the change, which the turn of the main actor that makes it completes.
        await Task.yield()
    }
}
