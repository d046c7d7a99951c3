/// Looks at the server's process again and again.
struct ServerWatch {
    private let process: Int?
    private var last: (time: UInt64, cpu: UInt64)?

    /// Makes one; without a process it sees nothing.
    init(_ process: Int?) {
        self.process = process
        last = process.flatMap(ProcessStatus.read(process:)).map { (Clock.now(), $0.cpuNanoseconds) }
    }

    /// The share of one core in percent since the last look, and the memory now in bytes.
    mutating func look(_ now: UInt64) -> (cpu: Double?, memory: UInt64?) {
        guard let process, let status = ProcessStatus.read(process: process) else { return (nil, nil) }
        defer { last = (now, status.cpuNanoseconds) }
        guard let last, now > last.time else { return (nil, status.residentBytes) }
        let used = status.cpuNanoseconds - min(last.cpu, status.cpuNanoseconds)
        return (Double(used) / Double(now - last.time) * 100, status.residentBytes)
    }
}
