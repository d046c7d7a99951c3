import Foundation
import Testing

@testable import Transport

/// How much memory may be used, in a made-up tree of the kernel's files.
@Suite struct MemoryReaderTests {
    private static let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    private static let machine: UInt64 = 1_000_000_000

    private static let unified = "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
    private static let old = "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory"
    private static let oldProcessors = "36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu"

    /// Reads a tree with these files in which the process has 100 pages in RAM.
    private func read(_ files: [String: String], own: Int = .max) throws -> MemoryUse {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-memory-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in ["proc/self/statm": "900 100 50 1 0 80 0\n"].merging(files, uniquingKeysWith: { $1 }) {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return MemoryReader(root: folder.path(), machineBytes: Self.machine).read(own: own)
    }

    @Test("without a group the process's own memory counts, of the machine's, or of what it should not use more than")
    func alone() throws {
        #expect(try read([:]) == MemoryUse(used: 100 * Self.page, limit: Self.machine))
        #expect(try read([:], own: 5_000_000) == MemoryUse(used: 100 * Self.page, limit: 5_000_000, bound: .own))
        #expect(try read([:], own: 5_000_000_000) == MemoryUse(used: 100 * Self.page, limit: Self.machine))
    }

    @Test("cgroup v2: all that the group uses counts, apart from cached files")
    func second() throws {
        let use = try read([
            "proc/self/mountinfo": Self.unified + "\n", "proc/self/cgroup": "0::/system.slice/fanfare.service\n",
            "sys/fs/cgroup/system.slice/fanfare.service/memory.max": "500000000\n",
            "sys/fs/cgroup/system.slice/fanfare.service/memory.current": "300000000\n",
            "sys/fs/cgroup/system.slice/fanfare.service/memory.stat":
                "anon 1\nactive_file 20000000\ninactive_file 30000000\nslab_reclaimable 1000000\nshmem 7\n",
        ])
        #expect(use == MemoryUse(used: 249_000_000, limit: 500_000_000, bound: .controlGroup))
    }

    @Test("cgroup v1: the memory controller's group, wherever it is mounted")
    func first() throws {
        let files = [
            "proc/self/mountinfo": Self.oldProcessors + "\n" + Self.old + "\n",
            "proc/self/cgroup": "9:cpu:/x\n4:memory:/docker/1\n0::/\n",
            "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "500000000\n",
            "sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes": "300000000\n",
            "sys/fs/cgroup/memory/docker/1/memory.stat":
                "active_file 1\ntotal_active_file 20000000\ntotal_inactive_file 30000000\n",
        ]
        #expect(try read(files) == MemoryUse(used: 250_000_000, limit: 500_000_000, bound: .controlGroup))
        let together = files.merging(["proc/self/cgroup": "4:cpu,memory:/docker/1\n"]) { $1 }
        #expect(try read(together) == MemoryUse(used: 250_000_000, limit: 500_000_000, bound: .controlGroup))
    }

    @Test("a group that this is in bounds it too; the tightest bound counts, not the smallest")
    func nested() throws {
        let use = try read([
            "proc/self/mountinfo": Self.unified + "\n", "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": "800000000\n", "sys/fs/cgroup/a/memory.current": "700000000\n",
            "sys/fs/cgroup/a/b/memory.max": "400000000\n", "sys/fs/cgroup/a/b/memory.current": "100000000\n",
        ])
        #expect(use == MemoryUse(used: 700_000_000, limit: 800_000_000, bound: .controlGroup))
    }

    @Test("in a container only a part of the tree is mounted, whatever path the process is said to be at")
    func container() throws {
        for (mount, group) in [
            ("30 20 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/docker/1\n"),
            ("30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/\n"),
            ("30 20 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/other\n"),
            ("30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/../2\n"),
        ] {
            let use = try read([
                "proc/self/mountinfo": mount + "\n", "proc/self/cgroup": group,
                "sys/fs/cgroup/memory.max": "400000000\n", "sys/fs/cgroup/memory.current": "100000000\n",
            ])
            #expect(use == MemoryUse(used: 100_000_000, limit: 400_000_000, bound: .controlGroup), "\(mount) \(group)")
        }
    }

    @Test(
        "a group without a bound, or one that says what nobody understands, counts for nothing",
        arguments: ["max\n", "9223372036854771712\n", "", "many\n", "-1\n", "1000000000\n"])
    func unbounded(limit: String) throws {
        let use = try read([
            "proc/self/mountinfo": Self.unified + "\nnonsense\n1 2 3 4 5 6 - cgroup2\n",
            "proc/self/cgroup": "0::/a\n:\n",
            "sys/fs/cgroup/a/memory.max": limit, "sys/fs/cgroup/a/memory.current": "100000000\n",
        ])
        #expect(use == MemoryUse(used: 100 * Self.page, limit: Self.machine))
    }

    @Test("what is said to be cached beyond what is used leaves nothing, and no bound of zero divides")
    func bounds() throws {
        let use = try read([
            "proc/self/mountinfo": Self.unified + "\n", "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "0\n", "sys/fs/cgroup/memory.current": "5\n",
            "sys/fs/cgroup/memory.stat": "active_file 18446744073709551615\ninactive_file 18446744073709551615\n",
        ])
        #expect(use == MemoryUse(used: 100 * Self.page, limit: Self.machine))
        #expect(MemoryUse(used: 5, limit: 0).share == 5)
    }

    @Test("this process uses some memory of what there is")
    func real() {
        let use = MemoryReader().read()
        #expect(use.used > 1_000_000 && use.limit > use.used)
    }
}
