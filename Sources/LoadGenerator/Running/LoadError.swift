/// Why a run could not take place.
public enum LoadError: Error, Sendable, Equatable {
    /// The plan contradicts itself; says how.
    case contradiction(String)
    /// The target is another machine, and the plan does not allow that.
    case remoteTarget(String)
    /// The process may not open that many descriptors.
    case descriptors(needed: Int, limit: Int)
    /// No connection could be made ready; says why.
    case cannotConnect(String)
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
        case .cannotConnect(let why): "cannot connect: \(why)"
        case .system(let what): what
        }
    }
}
