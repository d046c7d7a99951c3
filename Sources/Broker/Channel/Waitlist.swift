/// A queue whose first element is taken in a time that does not depend on how many wait, on average.
struct Waitlist<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var start = 0

    /// How many wait.
    var count: Int { elements.count - start }

    var isEmpty: Bool { count == 0 }

    /// The one that waits longest.
    var first: Element? { isEmpty ? nil : elements[start] }

    /// Those that wait, in order.
    var waiting: ArraySlice<Element> { elements[start...] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func replaceFirst(with element: Element) {
        if !isEmpty { elements[start] = element }
    }

    mutating func removeFirst() {
        start += 1
        guard start == elements.count || (start >= 64 && start * 2 >= elements.count) else { return }
        elements.removeFirst(start)
        start = 0
    }
}
