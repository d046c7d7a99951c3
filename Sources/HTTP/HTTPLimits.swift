/// How much of a request's head is taken.
public struct HTTPLimits: Sendable, Equatable {
    /// The most bytes of a whole head, request line and blank line included; more is refused with 431.
    public var maxHeadBytes: Int
    /// The most fields; more are refused with 431.
    public var maxFields: Int
    /// The most bytes of a request target; more are refused with 414.
    public var maxTargetBytes: Int

    /// Makes limits; a target may take half of the head where nothing else is said.
    public init(maxHeadBytes: Int = 16_384, maxFields: Int = 100, maxTargetBytes: Int? = nil) {
        self.maxHeadBytes = maxHeadBytes
        self.maxFields = maxFields
        self.maxTargetBytes = maxTargetBytes ?? maxHeadBytes / 2
    }
}
