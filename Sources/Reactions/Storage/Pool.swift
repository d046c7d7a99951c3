/// Elements that keep their place while they are there; places of removed ones are used again.
struct Pool<Element: Sendable>: Sendable {
    private let blank: Element
    private var elements = Chunked<Element>()
    private var vacant = Chunked<Slot>()

    /// Makes an empty pool; `blank` stands where nothing is, and holds nothing that costs memory.
    init(blank: Element) {
        self.blank = blank
    }

    /// How many elements there are.
    var count: Int { elements.count - vacant.count }

    /// All places that were ever used, also those that are vacant now.
    var slots: some Sequence<Slot> {
        (0..<elements.count).lazy.map { Slot(index: Int32(truncatingIfNeeded: $0)) }
    }

    /// Whether a place was ever used since the pool was last empty.
    func contains(_ slot: Slot) -> Bool { Int(slot.index) < elements.count }

    /// The element at a place.
    subscript(slot: Slot) -> Element {
        _read { yield elements[Int(slot.index)] }
        _modify { yield &elements[Int(slot.index)] }
    }

    /// Adds an element.
    mutating func insert(_ element: Element) -> Slot {
        if let slot = vacant.popLast() {
            elements[Int(slot.index)] = element
            return slot
        }
        elements.append(element)
        return Slot(index: Int32(truncatingIfNeeded: elements.count - 1))
    }

    /// Takes an element away; its place may be used again at once.
    mutating func remove(_ slot: Slot) {
        elements[Int(slot.index)] = blank
        vacant.append(slot)
        if count == 0 {
            // Nothing is there any more: give the memory back.
            elements.removeAll()
            vacant.removeAll()
        }
    }
}
