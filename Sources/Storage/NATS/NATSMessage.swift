import CNATS

/// A message that came from a server; its handle is let go with it.
@safe
struct NATSMessage: ~Copyable {
    private let handle: OpaquePointer

    /// Takes a handle over.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe natsMsg_Destroy(handle)
    }

    var subject: String {
        unsafe natsMsg_GetSubject(handle).map { unsafe String(cString: $0) } ?? ""
    }

    var bytes: [UInt8] {
        // The bytes are the handle's, and are copied before it is let go.
        guard let start = unsafe natsMsg_GetData(handle) else { return [] }
        let count = Int(unsafe natsMsg_GetDataLength(handle))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A header's value.
    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(handle, name, &value) == NATS_OK, let text = unsafe value else { return nil }
        return unsafe String(cString: text)
    }

    /// A header that is a number.
    func number(_ name: String) -> UInt64? {
        header(name).flatMap { UInt64($0) }
    }

    /// The status that a server answers in place of a message, `404`.
    var status: Int? { header("Status").flatMap { Int($0) } }
}
