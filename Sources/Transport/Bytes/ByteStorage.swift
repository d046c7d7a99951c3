internal import Glibc

/// A counted run of bytes in one allocation: the header is how many are in use.
///
/// It belongs either to one output queue, which appends to it, or to `SharedBytes`, which never does.
final class ByteStorage: ManagedBuffer<Int, UInt8> {
    /// An empty run with room for so many bytes.
    static func make(capacity: Int) -> ByteStorage {
        // `create` makes an instance of the class it is called on.
        unsafe unsafeDowncast(create(minimumCapacity: capacity) { _ in 0 }, to: ByteStorage.self)
    }

    /// Appends bytes; the caller has seen to it that there is room.
    func append(_ bytes: Span<UInt8>) {
        let used = header
        let added = bytes.count
        guard added > 0 else { return }
        precondition(used + added <= capacity)
        unsafe withUnsafeMutablePointerToElements { start in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Room was checked above, and both pointers hold for the call.
                if let base = source.baseAddress { unsafe (start + used).update(from: base, count: added) }
            }
        }
        header = used + added
    }

    /// Where the bytes lie; it holds as long as the object is referred to, because tail allocations do not move.
    var start: UnsafeMutablePointer<UInt8> {
        unsafe withUnsafeMutablePointerToElements { unsafe $0 }
    }
}
