internal import CLinux
internal import Glibc

/// What the kernel reports about a descriptor, and what it is asked to report.
struct PollEvents: OptionSet, Sendable {
    let rawValue: UInt32

    static let readable = PollEvents(rawValue: EPOLLIN.rawValue)
    static let writable = PollEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer has finished writing.
    static let peerFinished = PollEvents(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are over; reported unasked.
    static let hungUp = PollEvents(rawValue: EPOLLHUP.rawValue)
    /// The socket has an error; reported unasked.
    static let failed = PollEvents(rawValue: EPOLLERR.rawValue)
    static let edgeTriggered = PollEvents(rawValue: EPOLLET.rawValue)
    /// Of several sets that watch the same descriptor, not all are woken.
    static let exclusive = PollEvents(rawValue: EPOLLEXCLUSIVE.rawValue)
}

/// What hears of a descriptor's events.
protocol EventSource: AnyObject {
    func handle(_ events: PollEvents)
    /// The loop ends: close what is open; called once, if still registered.
    func loopDidEnd()
}

/// Where a source stands in a poller; the generation tells it from earlier sources in the same place.
struct Registration {
    var slot: UInt32
    var generation: UInt32

    var data: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

// @safe: the array of events belongs to the poller alone, and is read at proven indices.
/// One epoll set and the sources in it.
///
/// The kernel hands back slot and generation with each event, so finding the source is an array access, and an event
/// for a source that is gone is dropped even if its slot or descriptor number is in use again.
@safe
struct Poller: ~Copyable {
    /// How many events one wait may bring.
    static let batch = 1024
    private static let none = UInt32.max

    private struct Slot {
        var source: (any EventSource)?
        var generation: UInt32 = 0
        var nextFree = Poller.none
    }

    private let set: FileDescriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Slot] = []
    private var free = none

    init() throws(TransportError) {
        set = try FileDescriptor(epoll_create1(CInt(EPOLL_CLOEXEC)), from: "epoll_create1")
        unsafe events = .allocate(capacity: Self.batch)
        unsafe events.initialize(repeating: epoll_event(), count: Self.batch)
    }

    deinit {
        unsafe events.deallocate()
    }

    /// Watches a descriptor that nobody is told about: its events only end a wait.
    func addSilently(_ descriptor: CInt, _ interest: PollEvents) throws(TransportError) {
        let data = UInt64(Self.none)
        guard clinux_epoll_control(set.number, EPOLL_CTL_ADD, descriptor, interest.rawValue, data) == 0 else {
            throw .last("epoll_ctl")
        }
    }

    /// Gives a source a place; `watch` then tells the kernel.
    mutating func register(_ source: any EventSource) -> Registration {
        if free == Self.none {
            slots.appendTightly(Slot(source: source))
            return Registration(slot: UInt32(slots.count - 1), generation: 0)
        }
        let slot = free
        free = slots[Int(slot)].nextFree
        slots[Int(slot)].source = source
        return Registration(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Takes a source's place away; events of it that are still on their way are dropped.
    mutating func unregister(_ registration: Registration) {
        let slot = Int(registration.slot)
        guard slots.indices.contains(slot), slots[slot].generation == registration.generation else { return }
        slots[slot].source = nil
        slots[slot].generation &+= 1
        slots[slot].nextFree = free
        free = registration.slot
    }

    /// Starts to watch a source's descriptor.
    func watch(_ descriptor: CInt, _ interest: PollEvents, for registration: Registration) throws(TransportError) {
        let result = clinux_epoll_control(
            set.number, EPOLL_CTL_ADD, descriptor, interest.rawValue, registration.data)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Changes what is watched for; the descriptor is watched already.
    func change(_ descriptor: CInt, _ interest: PollEvents, for registration: Registration) {
        let result = clinux_epoll_control(
            set.number, EPOLL_CTL_MOD, descriptor, interest.rawValue, registration.data)
        precondition(result == 0, "an open descriptor in the set can be changed")
    }

    /// Stops watching a descriptor; closing its only copy does the same.
    func unwatch(_ descriptor: CInt) {
        _ = clinux_epoll_control(set.number, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits for events and says how many came; none when the time was up or a signal came between.
    func wait(milliseconds: CInt) -> Int {
        Int(max(0, unsafe epoll_wait(set.number, events, CInt(Self.batch), milliseconds)))
    }

    /// One of the events that the last wait brought; nil when its source is gone.
    func event(_ index: Int) -> (source: any EventSource, events: PollEvents)? {
        precondition(index >= 0 && index < Self.batch)
        let event = unsafe events[index]
        let data = unsafe event.data.u64
        let slot = Int(UInt32(truncatingIfNeeded: data))
        guard slots.indices.contains(slot), slots[slot].generation == UInt32(data >> 32),
            let source = slots[slot].source
        else { return nil }
        return unsafe (source, PollEvents(rawValue: event.events))
    }

    /// All sources that have a place.
    var sources: [any EventSource] { slots.compactMap(\.source) }
}
