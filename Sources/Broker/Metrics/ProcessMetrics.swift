import Glibc
import Transport
import Wire

/// What the system knows about this process, under the names that Prometheus' client libraries use.
struct ProcessMetrics {
    /// User and system time together, in seconds.
    let cpuSeconds: Double
    let residentBytes: UInt64
    let openDescriptors: UInt64
    let maxDescriptors: UInt64
    /// In seconds since 1970.
    let startTime: Double

    /// Asks the system; what it does not tell is 0.
    init() {
        cpuSeconds = ProcessMetrics.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        let pages = ProcessMetrics.words(of: "/proc/self/statm").dropFirst().first.flatMap { UInt64($0) } ?? 0
        residentBytes = pages * UInt64(max(0, sysconf(CInt(_SC_PAGESIZE))))
        openDescriptors = ProcessMetrics.countDescriptors()
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        maxDescriptors = UInt64(limit.rlim_cur)
        startTime = ProcessMetrics.startTime
    }

    /// Writes all of it.
    func write(to text: inout MetricsText) {
        text.single(
            .counter, "process_cpu_seconds_total", "User and system time of the process, in seconds.", cpuSeconds)
        text.single(
            .gauge, "process_resident_memory_bytes", "Memory of the process that is in RAM, in bytes.", residentBytes)
        text.single(.gauge, "process_open_fds", "Open file descriptors.", openDescriptors)
        text.single(.gauge, "process_max_fds", "How many file descriptors may be open.", maxDescriptors)
        text.single(
            .gauge, "process_start_time_seconds", "When the process was started, in seconds since 1970.", startTime)
        text.labelled(
            .gauge, "fanfare_build_info", "The version of the broker; the value is always 1.", label: "version",
            [(ReleaseVersion.current, 1)])
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Linux tells the number as the folder's size since 6.2; before, the entries are counted.
    private static func countDescriptors() -> UInt64 {
        var status = stat()
        if unsafe stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return UInt64(status.st_size) }
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        var count: UInt64 = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Not "." and "..", nor the one that reads.
        return count > 3 ? count - 3 : 0
    }

    /// Field 22 of `stat` is in ticks since the machine was started (proc(5)); the name in field 2 ends with the last ")".
    private static let startTime: Double = {
        let fields = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 19, let ticks = Double(fields[19]) else { return 0 }
        let age = seconds(of: CLOCK_BOOTTIME) - ticks / Double(max(1, sysconf(CInt(_SC_CLK_TCK))))
        return seconds(of: CLOCK_REALTIME) - age
    }()

    private static func words(of path: String) -> [Substring] { text(of: path).split(separator: " ") }

    /// Empty where it cannot be read.
    private static func text(of path: String) -> String { SystemFile.text(at: path) ?? "" }
}
