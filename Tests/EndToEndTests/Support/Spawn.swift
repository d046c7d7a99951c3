import Foundation
import Locks

/// What `spawn` gives: the process, and the ends to read what it writes.
struct Spawned {
    var processID: pid_t
    var output: Int32
    var errors: Int32
}

struct SpawnError: Error, CustomStringConvertible {
    var description: String
}

/// One at a time: between a pipe's making and its mark no other process may be started that would inherit it.
private let turn = Locked(())

/// Starts a program with an empty standard input, with all signals at their defaults, and no descriptors but the three.
///
/// Foundation's `Process` waits for its children by `select`, which knows no descriptor above 1,023: not enough beside
/// tests that hold thousands.
func spawn(_ path: String, _ words: [String], _ environment: [String]) throws -> Spawned {
    try turn.withLock { _ in
        let (output, outputEnd) = try makePipe()
        let (errors, errorsEnd) = try makePipe()
        defer {
            close(outputEnd)
            close(errorsEnd)
        }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // All pointers are used within the calls; each init has its destroy.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, outputEnd, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, errorsEnd, 2)
        var all = sigset_t()
        var none = sigset_t()
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var processID: pid_t = 0
        let failure = unsafe withCStrings([path] + words) { words in
            unsafe withCStrings(environment) { unsafe posix_spawn(&processID, path, &actions, &attributes, words, $0) }
        }
        guard failure == 0 else {
            close(output)
            close(errors)
            throw SpawnError(description: "cannot start \(path): error \(failure)")
        }
        return Spawned(processID: processID, output: output, errors: errors)
    }
}

/// A pipe whose ends no other program inherits.
private func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw SpawnError(description: "no pipe: error \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// Lends texts as a null-terminated list of C strings.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeBufferPointer { list in
        guard let base = list.baseAddress else { preconditionFailure("the list holds its end at least") }
        return unsafe body(base)
    }
}
