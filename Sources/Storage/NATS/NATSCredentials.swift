import Glibc

/// A file with credentials, as `nsc` makes it: a user's JWT, and the seed of their key.
enum NATSCredentials {
    /// How much of it is looked at, in bytes.
    private static let most = 64 << 10

    /// Why a file cannot be one, for a person; `nil`: it may be.
    ///
    /// The library reads it only when a server asks, and calls whatever is wrong with it a server that cannot be reached.
    static func flaw(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "it cannot be read: \(lastError())" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: most)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { return "it cannot be read: \(lastError())" }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.contains(" JWT-") && text.contains(" SEED-")
            ? nil : "it has not a user's JWT and seed, as 'nsc generate creds' writes them"
    }
}
