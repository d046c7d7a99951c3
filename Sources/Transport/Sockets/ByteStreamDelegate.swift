/// What hears of a stream's life; every call comes on the stream's loop.
///
/// All methods may call any method of the stream. None is called from inside a call that the delegate makes, and none
/// after `stream(_:didClose:)`.
public protocol ByteStreamDelegate: AnyObject {
    /// The connection that `ByteStream.connect` began stands, with TLS if asked for.
    func streamDidConnect(_ stream: ByteStream)

    /// Bytes have come.
    ///
    /// They lie in the loop's read buffer, may be changed in place, and are valid for the call only.
    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan)

    /// The peer will send nothing more; it may still read. Call `finish()` unless more is to be sent.
    func streamDidFinishReading(_ stream: ByteStream)

    /// The queue is empty, after the kernel had refused some of it or `ByteStream.awaitDrain()` was called.
    func streamDidDrain(_ stream: ByteStream)

    /// The stream is closed; the last call, and always exactly one.
    ///
    /// The error is nil when the stream was finished or aborted from this side, or both sides came to their end.
    func stream(_ stream: ByteStream, didClose error: TransportError?)
}

extension ByteStreamDelegate {
    /// Does nothing.
    public func streamDidConnect(_ stream: ByteStream) {}

    /// Does nothing.
    public func streamDidDrain(_ stream: ByteStream) {}
}
