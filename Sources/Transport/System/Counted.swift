/// A number of things as people say it: `1 channel`, `2 channels`.
///
/// - Parameters:
///   - count: how many.
///   - noun: one of them; more of them have an s behind it.
/// - Returns: both.
public func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
}
