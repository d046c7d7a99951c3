/// Names one connection for as long as the process runs, on whichever loop it is read.
struct ConnectionKey: Sendable, Hashable, CustomStringConvertible {
    private let hubIndex: UInt32
    /// Its place on its hub.
    let slot: UInt32
    /// Which of the connections that had the place it is.
    let generation: UInt32

    init(hub: Int, slot: UInt32, generation: UInt32) {
        hubIndex = UInt32(hub)
        self.slot = slot
        self.generation = generation
    }

    /// The index of the hub that owns it.
    var hub: Int { Int(hubIndex) }

    /// What a person calls the connection.
    var description: String {
        // Three numbers of at most ten digits.
        var text = InlineArray<40, UInt8>(repeating: UInt8(ascii: "c"))
        var count = 1
        func append(_ number: UInt32, _ radix: UInt32) {
            var unit: UInt32 = 1
            while number / unit >= radix { unit *= radix }
            text[count] = UInt8(ascii: "-")
            count += 1
            while unit > 0 {
                let digit = UInt8(truncatingIfNeeded: number / unit % radix)
                text[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                count += 1
                unit /= radix
            }
        }
        append(hubIndex, 10)
        append(slot, 16)
        append(generation, 16)
        // The buffer is valid for the closure, and the string copies it.
        return unsafe text.span.extracting(..<count).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
}

/// Objects by key, where a key of an object that is gone finds nothing although its place is used again.
struct SlotTable<Element: AnyObject> {
    private var slots: ContiguousArray<Element?> = []
    private var generations: ContiguousArray<UInt32> = []
    private var freeSlots: ContiguousArray<UInt32> = []

    /// How many objects there are.
    var count: Int { slots.count - freeSlots.count }

    /// All of them.
    var elements: [Element] { slots.compactMap(\.self) }

    /// Takes a free place, on the hub with this index.
    mutating func reserve(on hub: Int) -> ConnectionKey {
        if let slot = freeSlots.popLast() {
            return ConnectionKey(hub: hub, slot: slot, generation: generations[Int(slot)])
        }
        if slots.count == slots.capacity {
            // By an eighth at a time: what has room for twice as many would cost every connection.
            slots.reserveCapacity(slots.count + slots.count / 8 + 64)
            generations.reserveCapacity(slots.capacity)
        }
        slots.append(nil)
        generations.append(0)
        return ConnectionKey(hub: hub, slot: UInt32(slots.count - 1), generation: 0)
    }

    /// The object of a key that was reserved here; `nil` once it was freed.
    subscript(key: ConnectionKey) -> Element? {
        get { generations[Int(key.slot)] == key.generation ? slots[Int(key.slot)] : nil }
        set { slots[Int(key.slot)] = newValue }
    }

    /// Frees a key's place.
    mutating func free(_ key: ConnectionKey) {
        slots[Int(key.slot)] = nil
        generations[Int(key.slot)] &+= 1
        freeSlots.append(key.slot)
    }
}
