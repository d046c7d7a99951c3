/// Writes numbers as LEB128 and texts with their length in front: the form of what is logged and remembered.
package struct ByteWriter {
    /// What was written.
    package var bytes: [UInt8] = []

    /// Begins with nothing.
    package init() {}

    package mutating func put(byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a number that may be negative, as its bits.
    package mutating func put(_ number: Int64) {
        put(UInt64(bitPattern: number))
    }

    package mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func put(_ more: [UInt8]) {
        put(UInt64(more.count))
        bytes.append(contentsOf: more)
    }

    /// Writes whether there is something, then that.
    package mutating func put<Value>(optional value: Value?, _ put: (inout ByteWriter, Value) -> Void) {
        self.put(byte: value == nil ? 0 : 1)
        if let value { put(&self, value) }
    }

    /// Writes how many there are, then each.
    package mutating func put<Element>(list: [Element], _ put: (inout ByteWriter, Element) -> Void) {
        self.put(UInt64(list.count))
        for element in list { put(&self, element) }
    }
}
