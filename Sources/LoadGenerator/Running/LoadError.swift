/// Why a run could not take place.
public enum LoadError: Error, Sendable, Equatable {
    /// The plan contradicts itself; says how.
    case contradiction(String)
    /// The target is another machine, and the plan does not allow that.
    case remoteTarget(String)
    /// The process may not open that many descriptors.
    case descriptors(needed: Int, limit: Int)
    /// One source address has no more ports than that towards one server.
    case ports(needed: Int, available: Int, sources: Int)
    /// No connection could be made ready; says why.
    case cannotConnect(String)
    /// Somebody ended it before anything was measured.
    case interrupted
    /// The system refused something else that the run needs; says what.
    case system(String)
}

extension LoadError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .contradiction(let what): what
        case .remoteTarget(let host):
            "\(host) is not this machine: load on someone else's is an attack unless they agreed; "
                + "if they did, say --allow-remote"
        case .descriptors(let needed, let limit):
            "the run needs \(needed) descriptors and may have \(limit); raise the limit (ulimit -n) or ask for less"
        case .ports(let needed, let available, let sources):
            "the run needs \(needed) ports, and \(sources) source address\(sources == 1 ? "" : "es") "
                + "ha\(sources == 1 ? "s" : "ve") \(available); name more with --source (127.0.0.2, …), "
                + "or widen net.ipv4.ip_local_port_range"
        case .cannotConnect(let why): "cannot connect: \(why)"
        case .interrupted: "interrupted before anything was measured"
        case .system(let what): what
        }
    }
}
