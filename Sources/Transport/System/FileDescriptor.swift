internal import Glibc

/// The owner of an open descriptor, which it closes when it goes.
struct FileDescriptor: ~Copyable {
    /// The kernel's number, or -1 once closed; it must not outlive the owner.
    private(set) var number: CInt

    /// Owns nothing.
    init() {
        number = -1
    }

    /// Takes over what a system call returned.
    ///
    /// - Throws: the call's error when it returned a negative number.
    init(_ result: CInt, from call: String) throws(TransportError) {
        guard result >= 0 else { throw .last(call) }
        number = result
    }

    deinit {
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Closes the descriptor now; later calls do nothing.
    mutating func close() {
        guard number >= 0 else { return }
        // No retry at EINTR: on Linux the descriptor is gone all the same.
        _ = Glibc.close(number)
        number = -1
    }

    /// Gives up the ownership: whoever calls must close the number.
    mutating func release() -> CInt {
        let released = number
        number = -1
        return released
    }
}
