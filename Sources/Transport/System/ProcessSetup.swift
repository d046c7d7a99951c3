internal import CLinux
internal import Glibc

/// Raises the limit of open descriptors of this process as far as it may go without rights.
///
/// - Returns: the limit that holds afterwards.
@discardableResult
public func raiseDescriptorLimit() -> Int {
    var soft: UInt64 = 0
    var hard: UInt64 = 0
    guard unsafe clinux_get_descriptor_limit(&soft, &hard) == 0 else { return 0 }
    if soft < hard, clinux_set_descriptor_limit(hard) == 0 { soft = hard }
    return Int(clamping: soft)
}

/// Gives memory that was freed back to the system, which the allocator does not always do by itself.
///
/// Takes milliseconds where there is much of it.
public func giveBackMemory() {
    clinux_give_back_memory()
}

/// Ignores SIGPIPE in the whole process: a write to a connection that is gone is an error, not the end of the program.
///
/// OpenSSL writes with plain `write(2)`, so `MSG_NOSIGNAL` alone does not do. Every `EventLoop` calls this when it is
/// made; programs started by `exec` inherit it.
public func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
}

/// Ignores SIGXFSZ in the whole process: a file that may not grow further (`ulimit -f`) is an error of the write, EFBIG,
/// and not the end of the program in the middle of it.
public func ignoreFileSizeSignal() {
    _ = signal(SIGXFSZ, SIG_IGN)
}

/// Blocks signals in the calling thread and in all threads that it starts later.
///
/// Call it in `main` before the first thread, with the signals that a `SignalSource` is to receive.
public func blockSignals(_ signals: [CInt]) {
    var set = signalSet(signals)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
}

/// The kernel's form of a set of signals.
func signalSet(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
}
