/// Where a server tells its metrics, taken from a URL.
public struct MetricsAddress: Sendable, Equatable {
    /// The host and port as they stand in the URL.
    public let authority: String
    /// The path with its query.
    public let path: String

    /// Reads `http://HOST:PORT[/PATH]`; the path is `/metrics` where there is none.
    ///
    /// - Throws: A ``Target/Problem`` that says what is meant.
    public init(_ url: String) throws(Target.Problem) {
        let rest = url.dropFirst(7)
        let authority = rest.prefix { $0 != "/" }
        guard url.hasPrefix("http://"), !authority.isEmpty, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Target.Problem(
                message: "the metrics' URL begins with http://, as in http://127.0.0.1:8080/metrics, not \"\(url)\"")
        }
        let path = rest[authority.endIndex...]
        self.authority = authority.contains(":") ? String(authority) : "\(authority):80"
        self.path = path.isEmpty || path == "/" ? "/metrics" : String(path)
    }
}
