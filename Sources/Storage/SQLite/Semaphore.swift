import Glibc

/// A counting semaphore of the system's.
@safe final class Semaphore: @unchecked Sendable {
    // A semaphore may be used from any thread; the pointer never changes. It has an address of its own, which a
    // stored property would not.
    private let pointer: UnsafeMutablePointer<sem_t>

    init() {
        unsafe pointer = .allocate(capacity: 1)
        unsafe sem_init(pointer, 0, 0)
    }

    deinit {
        unsafe sem_destroy(pointer)
        unsafe pointer.deallocate()
    }

    func signal() {
        unsafe sem_post(pointer)
    }

    /// Waits for a signal, or about so long: where the system's time is set meanwhile, shorter or longer.
    func wait(milliseconds: Int) {
        var until = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &until)
        until.tv_nsec += (milliseconds % 1_000) * 1_000_000
        until.tv_sec += milliseconds / 1_000 + until.tv_nsec / 1_000_000_000
        until.tv_nsec %= 1_000_000_000
        while unsafe sem_timedwait(pointer, &until) != 0 && errno == EINTR {}
    }

    func wait() {
        while unsafe sem_wait(pointer) != 0 && errno == EINTR {}
    }
}
