#if TSAN
internal import Glibc
#else
public import Synchronization
#endif

#if TSAN

// @unchecked, @safe: the value is reached only between lock and unlock.
/// A value that several threads share under one lock.
///
/// This form, on a heap-allocated `pthread_mutex_t`, is for builds under the thread sanitizer, which takes a contended
/// `Synchronization.Mutex` for a race.
@safe
public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Puts a value under a lock of its own.
    public init(_ value: consuming sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs the body with the value while no other thread has it; a call from inside the body is a deadlock.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}

#else

/// A value that several threads share under one lock.
///
/// It is `Synchronization.Mutex`, save in builds under the thread sanitizer (`-D TSAN`), which takes a contended one
/// for a race.
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// Puts a value under a lock of its own.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs the body with the value while no other thread has it; a call from inside the body is a deadlock.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

#endif
