import Glibc

/// A thread that runs one function and is then joined.
struct StoreThread: Sendable {
    private let id: pthread_t

    /// Starts a thread.
    init(_ body: sending @escaping () -> Void) throws(StoreError) {
        final class Start {
            let body: () -> Void
            init(_ body: sending @escaping () -> Void) { self.body = body }
        }
        // The new thread takes over the one reference; nobody else has it.
        let start = unsafe Unmanaged.passRetained(Start(body))
        var id = pthread_t()
        let code = unsafe pthread_create(
            &id, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, start.toOpaque())
        if code != 0 {
            unsafe start.release()
            throw .unavailable("cannot start the store's thread: error \(code)")
        }
        self.id = id
    }

    /// Waits for the thread's end, once.
    ///
    /// On the thread itself it cannot wait: there it only lets the thread end by itself.
    func join() {
        if pthread_equal(id, pthread_self()) != 0 {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }
}
