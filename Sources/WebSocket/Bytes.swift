extension [UInt8] {
    /// Appends borrowed bytes with one copy.
    mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is valid for the closure, and `append(contentsOf:)` keeps no reference to it.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
