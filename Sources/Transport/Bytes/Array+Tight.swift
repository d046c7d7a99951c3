extension Array {
    /// Appends to a table that has an element for each stream, and grows by an eighth: room for twice as many would cost
    /// every stream.
    mutating func appendTightly(_ element: Element) {
        if count == capacity { reserveCapacity(count + count / 8 + 64) }
        append(element)
    }
}
