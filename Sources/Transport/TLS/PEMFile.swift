internal import COpenSSL

/// A file of PEM blocks (RFC 7468), read whole.
struct PEMFile {
    let path: String
    private let bytes: [UInt8]

    /// Reads the file; `what` says in errors what it was meant to be.
    ///
    /// - Throws: `TransportError.unusableFile`.
    init(_ path: String, _ what: String) throws(TransportError) {
        self.path = path
        do throws(RegularFile.Failure) { bytes = try RegularFile.bytes(at: path) } catch {
            throw .unusableFile("the \(what) '\(path)' cannot be read: \(error)")
        }
        guard !bytes.isEmpty else { throw .unusableFile("the \(what) '\(path)' is empty") }
    }

    /// Whether a block of this kind begins somewhere, such as `CERTIFICATE` or `PRIVATE KEY`.
    func has(_ kind: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("\(kind)-----")
    }

    /// Hands out OpenSSL's view of the bytes, from their beginning.
    func withReader<Result>(_ body: (OpaquePointer) throws(TransportError) -> Result) throws(TransportError) -> Result {
        ERR_clear_error()
        // OpenSSL copies nothing: the buffer is made here and outlives the view.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyBytes(from: bytes)
        guard let reader = unsafe BIO_new_mem_buf(copy.baseAddress, CInt(clamping: copy.count)) else {
            throw .lastTLS("no memory")
        }
        defer { unsafe BIO_free(reader) }
        return try unsafe body(reader)
    }

    /// All certificates, in their order.
    ///
    /// - Throws: `TransportError.unusableFile` where there is none, or one cannot be understood.
    func certificates(_ what: String) throws(TransportError) -> [X509Certificate] {
        let (certificates, code) = unsafe try withReader { reader throws(TransportError) in
            var certificates: [X509Certificate] = []
            while let certificate = unsafe PEM_read_bio_X509(reader, nil, nil, nil) {
                certificates.append(unsafe X509Certificate(taking: certificate))
            }
            let code = ERR_peek_last_error()
            ERR_clear_error()
            return (certificates, code)
        }
        guard copenssl_reason(code) == PEM_R_NO_START_LINE else {
            throw .unusableFile(
                "the \(what) '\(path)' is damaged: certificate \(certificates.count + 1) cannot be read")
        }
        guard !certificates.isEmpty else {
            let hint = has("PRIVATE KEY") ? " but a private key: are the two exchanged?" : "; meant is PEM"
            throw .unusableFile("the \(what) '\(path)' holds no certificate\(hint)")
        }
        return certificates
    }
}
