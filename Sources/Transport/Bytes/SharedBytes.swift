// @unchecked: the storage is written only before the value exists.
/// Bytes that never change, shared by all who send them.
///
/// A value of one pointer: copying it costs a retain, however many bytes there are and however many streams hold it.
public struct SharedBytes: @unchecked Sendable {
    let storage: ByteStorage

    /// A copy of the bytes.
    public init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// A copy of the bytes.
    public init(_ bytes: Span<UInt8>) {
        storage = ByteStorage.make(capacity: bytes.count)
        storage.append(bytes)
    }

    /// Whether both are the same bytes in memory, not only equal ones.
    public func isIdentical(to other: SharedBytes) -> Bool { storage === other.storage }

    /// How many bytes there are.
    public var count: Int { storage.header }

    /// Lends the bytes to the body.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.withUnsafeMutablePointerToElements { start throws(Failure) in
            // The storage outlives the call, and its first `count` bytes are initialised.
            try unsafe body(Span(_unsafeStart: start, count: count))
        }
    }
}
