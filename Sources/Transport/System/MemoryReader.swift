internal import Glibc

/// How much memory is used of how much may be.
public struct MemoryUse: Sendable, Equatable {
    /// What bounds it.
    public enum Bound: Sendable, Equatable {
        /// There is no more in the machine.
        case machine
        /// A control group that the process is in.
        case controlGroup
        /// The process should not use more.
        case own
    }

    /// What is used, in bytes.
    public var used: UInt64
    /// What may be, in bytes; at least 1.
    public var limit: UInt64
    /// By what it is bounded.
    public var bound: Bound

    /// Makes one.
    public init(used: UInt64, limit: UInt64, bound: Bound = .machine) {
        self.used = used
        self.limit = max(1, limit)
        self.bound = bound
    }

    /// Which part is used: 0 is nothing, 1 is all.
    public var share: Double { Double(used) / Double(limit) }
}

/// Finds out how much memory this process uses of what it may use.
///
/// A process may use the machine's memory, or less where a control group bounds it: its own, or one that this is in;
/// of version 2 (cgroup-v2.rst, `memory.max`) or of version 1 (memory.rst, `memory.limit_in_bytes`). In a group that has
/// a bound all that cannot be given back counts, as it does for the kernel that ends processes there: everything apart
/// from cached files. Of the machine's memory, what other programs use is not this one's to answer for.
public struct MemoryReader: Sendable {
    /// A control group that bounds memory, or may.
    private struct Group {
        var folder: String
        var isUnified: Bool
    }

    /// What stands before all paths.
    private let root: String
    private let machine: UInt64
    /// From the process's own group to the outermost one that can be seen.
    private let groups: [Group]

    /// Looks in which control groups this process is.
    ///
    /// - Parameters:
    ///   - root: what stands before all paths, for tests.
    ///   - machineBytes: the machine's memory; `nil`: as the system says.
    public init(root: String = "", machineBytes: UInt64? = nil) {
        self.root = root
        machine = machineBytes ?? MemoryReader.bytes(ofPages: sysconf(CInt(_SC_PHYS_PAGES)))
        groups = MemoryReader.groups(below: root)
    }

    /// Finds out how much is used, of the tightest bound.
    ///
    /// - Parameter own: bytes that the process should not use more than, for all the system says; `Int.max`: any number.
    /// - Returns: both, in bytes; what the system does not tell is 0.
    public func read(own: Int = .max) -> MemoryUse {
        let resident = residentBytes
        let own = UInt64(clamping: own)
        var uses = [MemoryUse(used: resident, limit: min(machine, own), bound: own < machine ? .own : .machine)]
        for group in groups {
            if let use = use(of: group) { uses.append(use) }
        }
        return uses.dropFirst().reduce(uses[0]) { $0.share < $1.share ? $1 : $0 }
    }

    /// Memory of the process that is in RAM (`statm`, proc(5)).
    private var residentBytes: UInt64 {
        let words = (SystemFile.text(at: root + "/proc/self/statm") ?? "").split(separator: " ")
        return words.count > 1 ? MemoryReader.bytes(ofPages: Int(words[1]) ?? 0) : 0
    }

    private static func bytes(ofPages pages: Int) -> UInt64 {
        let (bytes, isTooMuch) = max(0, pages).multipliedReportingOverflow(by: max(1, sysconf(CInt(_SC_PAGESIZE))))
        return isTooMuch ? .max : UInt64(bytes)
    }

    /// `nil` where it has no bound, or one that the machine's memory is below.
    private func use(of group: Group) -> MemoryUse? {
        let limitName = group.isUnified ? "memory.max" : "memory.limit_in_bytes"
        let usedName = group.isUnified ? "memory.current" : "memory.usage_in_bytes"
        guard let limit = SystemFile.number(at: group.folder + limitName), limit < machine,
            let used = SystemFile.number(at: group.folder + usedName)
        else { return nil }
        let cached = cachedBytes(of: group)
        return MemoryUse(used: used > cached ? used - cached : 0, limit: limit, bound: .controlGroup)
    }

    /// What the kernel takes back by itself before it ends a process.
    private func cachedBytes(of group: Group) -> UInt64 {
        let names: Set<Substring> =
            group.isUnified
            ? ["active_file", "inactive_file", "slab_reclaimable"] : ["total_active_file", "total_inactive_file"]
        var sum: UInt64 = 0
        for line in (SystemFile.text(at: group.folder + "memory.stat") ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, names.contains(words[0]), let bytes = UInt64(words[1]) else { continue }
            sum = sum.addingReportingOverflow(bytes).overflow ? .max : sum + bytes
        }
        return sum
    }
}

// MARK: In which groups the process is

extension MemoryReader {
    /// The groups of both versions that the process is in and can see: `mountinfo` says where they are, `cgroup` which
    /// of them are its own (proc(5), cgroups(7)).
    private static func groups(below root: String) -> [Group] {
        let own = (SystemFile.text(at: root + "/proc/self/cgroup") ?? "").split(separator: "\n")
        var groups: [Group] = []
        for mount in (SystemFile.text(at: root + "/proc/self/mountinfo") ?? "").split(separator: "\n") {
            guard let place = MountedGroups(mount) else { continue }
            for line in own {
                let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3 else { continue }
                let isMeant =
                    place.isUnified ? parts[1].isEmpty : parts[1].split(separator: ",").contains("memory")
                guard isMeant else { continue }
                groups += place.folders(of: String(parts[2])).map {
                    Group(folder: root + $0, isUnified: place.isUnified)
                }
            }
        }
        return groups
    }

    /// Where control groups are mounted.
    private struct MountedGroups {
        let isUnified: Bool
        /// Which group is seen at the mount point: `/`, or a container's own.
        let top: String
        let point: String

        /// Takes a line of `mountinfo`; `nil` where it is of something else.
        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 3, dash >= 6 else { return nil }
            switch words[dash + 1] {
            case "cgroup2": isUnified = true
            case "cgroup" where words[dash + 3].split(separator: ",").contains("memory"): isUnified = false
            default: return nil
            }
            top = String(words[3])
            point = String(words[4])
        }

        /// The folders of a group and of those that it is in, each with a slash at its end.
        func folders(of path: String) -> [String] {
            // A path outside of what is mounted: seen from here, the group is the mounted one.
            let inner = path.hasPrefix(top) ? path.dropFirst(top == "/" ? 0 : top.utf8.count) : ""
            var parts = inner.split(separator: "/").filter { $0 != ".." }
            var folders: [String] = []
            while true {
                folders.append(([Substring(point)] + parts).joined(separator: "/") + "/")
                if parts.popLast() == nil { return folders }
            }
        }
    }
}
