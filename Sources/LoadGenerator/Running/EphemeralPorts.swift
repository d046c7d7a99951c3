/// The ports that the kernel lends to outgoing connections.
enum EphemeralPorts {
    /// How many one source address has towards one server; `nil` where that is not to be found out.
    static var count: Int? {
        ProcessStatus.contents(of: "/proc/sys/net/ipv4/ip_local_port_range").flatMap(count(in:))
    }

    /// Reads the kernel's range, `32768 60999`.
    static func count(in text: String) -> Int? {
        let bounds = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
        return bounds[1] - bounds[0] + 1
    }
}
