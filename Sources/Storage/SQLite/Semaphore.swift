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

    func wait() {
        while unsafe sem_wait(pointer) != 0 && errno == EINTR {}
    }
}
