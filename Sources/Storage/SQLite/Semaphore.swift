import Glibc

/// A counting semaphore that waits by the clock that is never set.
///
/// The system's own has no such wait that Swift sees: by the time of day, what is due every second would stand still for as
/// long as a clock is set back.
@safe final class Semaphore: @unchecked Sendable {
    @unsafe private struct State {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var count = 0
    }

    // A semaphore may be used from any thread: the pointer never changes, and the count is reached under the mutex only.
    // They have an address of their own, which a stored property would not.
    private let state: UnsafeMutablePointer<State>

    init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe pthread_cond_init(&state.pointee.condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(&state.pointee.condition)
        unsafe pthread_mutex_destroy(&state.pointee.mutex)
        unsafe state.deallocate()
    }

    func signal() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe state.pointee.count += 1
        unsafe pthread_cond_signal(&state.pointee.condition)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Waits for a signal, or so long.
    func wait(milliseconds: Int) {
        var until = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &until)
        until.tv_nsec += (milliseconds % 1_000) * 1_000_000
        until.tv_sec += milliseconds / 1_000 + until.tv_nsec / 1_000_000_000
        until.tv_nsec %= 1_000_000_000
        take { unsafe pthread_cond_timedwait(&state.pointee.condition, &state.pointee.mutex, &until) == 0 }
    }

    func wait() {
        take { unsafe pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex) == 0 }
    }

    /// Takes a signal where there is one; else waits, as long as `wait` says that it may go on.
    private func take(_ wait: () -> Bool) {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        while unsafe state.pointee.count == 0, wait() {}
        if unsafe state.pointee.count > 0 { unsafe state.pointee.count -= 1 }
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }
}
