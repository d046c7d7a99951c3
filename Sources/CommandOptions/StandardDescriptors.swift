import Glibc

/// Keeps the places of standard input, output and error where whoever started the process has closed them: else the next
/// file that is opened, such as a store's, would be what is read from or written to there.
///
/// What stands there then can be neither read nor written, so each use fails (EBADF). Call it first of all in `main`.
public func keepStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // The lowest that is free, which is this one.
        _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
