import Fuzzing
import Glibc

/// Compares records from the standard input, and says where we and the other implementation differ.
@main
enum Main {
    static func main() throws {
        var differential = Differential()
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            // The buffer is valid for the call, which writes no more than it has.
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            try differential.take(Array(bytes[..<count]))
        }
        print(
            """
            \(differential.count) streams, \(differential.events) messages and control frames: \
            \(differential.open) left open, \(differential.closed) closed, \(differential.failed) failed; \
            \(differential.differences.isEmpty ? "no" : "\(differential.differences.count)") differences
            """)
        for (number, what) in differential.differences { print("stream \(number): \(what)") }
        exit(differential.differences.isEmpty && differential.isComplete && differential.count > 0 ? 0 : 1)
    }
}
