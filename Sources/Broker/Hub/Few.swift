/// A list that usually has at most one element, which then needs no memory of its own.
enum Few<Element> {
    case none
    case one(Element)
    case many([Element])

    /// Makes a list of an array's elements.
    init(_ elements: [Element]) {
        self = elements.count > 1 ? .many(elements) : elements.first.map { .one($0) } ?? .none
    }

    /// Adds an element at the end.
    mutating func append(_ element: Element) {
        switch self {
        case .none: self = .one(element)
        case .one(let first): self = .many([first, element])
        case .many(var elements):
            self = .none  // so that nothing is copied
            elements.append(element)
            self = .many(elements)
        }
    }

    /// Takes out the element at an index; those behind it move up.
    mutating func remove(at index: Int) {
        precondition(indices.contains(index), "no such element")
        guard case .many(var elements) = self else {
            self = .none
            return
        }
        self = .none  // so that nothing is copied
        elements.remove(at: index)
        self = elements.count == 1 ? .one(elements[0]) : .many(elements)
    }
}

extension Few: Sendable where Element: Sendable {}

extension Few: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }

    var endIndex: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let elements): elements.count
        }
    }

    subscript(index: Int) -> Element {
        get {
            switch self {
            case .many(let elements): return elements[index]
            case .one(let element) where index == 0: return element
            case .one, .none: preconditionFailure("no such element")
            }
        }
        set {
            precondition(indices.contains(index), "no such element")
            guard case .many(var elements) = self else {
                self = .one(newValue)
                return
            }
            self = .none  // so that nothing is copied
            elements[index] = newValue
            self = .many(elements)
        }
    }
}
