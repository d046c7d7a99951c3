/// Connections of one kind on one loop, as a run directs them.
protocol LoadGroup: ConnectionOwner, SendableMetatype {
    /// What opens and counts the connections.
    var connector: Connector { get }
    /// Opens all connections; the closure is called once, when each is ready or has failed.
    func connect(whenDone: @escaping () -> Void)
}
