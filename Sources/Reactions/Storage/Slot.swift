/// The place of an element in a ``Pool``: half the size of a reference, and no counting.
struct Slot: Sendable, Hashable {
    /// The index.
    let index: Int32

    /// No place at all.
    static let nowhere = Slot(index: -1)

    /// Whether this is a place.
    var isSomewhere: Bool { index >= 0 }
}
