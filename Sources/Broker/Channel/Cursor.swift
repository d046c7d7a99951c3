/// Where a page of reactors or messages goes on: a seq, and a check that it is used where it was given.
///
/// It holds no state in the broker, so it never runs out; its check is against mistakes, not against forgery, for
/// nothing can be read with a made-up cursor that could not be read without one.
enum Cursor {
    /// Writes a cursor for the place `seq` in what `scope` names.
    static func text(at seq: UInt64, in scope: String) -> String {
        String(seq, radix: 36) + "." + String(check(seq, scope), radix: 36)
    }

    /// Reads a cursor; `nil` where it was not made for this scope.
    static func seq(from text: String, in scope: String) -> UInt64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let seq = UInt64(parts[0], radix: 36), self.text(at: seq, in: scope) == text else {
            return nil
        }
        return seq
    }

    private static func check(_ seq: UInt64, _ scope: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(scope)
        hash.combine(seq)
        return hash.value
    }
}
