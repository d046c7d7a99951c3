/// The version of this release, which the broker, both commands and the packages have.
public enum ReleaseVersion {
    /// Major, minor and patch (Semantic Versioning 2.0.0).
    public static let current = "0.1.0"
    /// The day on which this version was last changed, which stands on manual pages.
    public static let date = "2026-11-30"
}
