/// The version of this broker, as releases name it.
public enum BrokerVersion {
    /// Major, minor and patch (Semantic Versioning 2.0.0).
    public static let current = "0.1.0"
}
