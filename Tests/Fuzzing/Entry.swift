import Glibc

/// The target that libFuzzer's process is for, named by `FANFARE_FUZZ`.
private let chosen: FuzzTarget = {
    // The environment is read once, before anything could change it, and the text is copied.
    let name = unsafe getenv("FANFARE_FUZZ").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FANFARE_FUZZ is '\(name)', not one of \(names)")
    }
    return target
}()

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer lends `count` bytes for the call; they are copied.
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try chosen.check(input)
    } catch {
        fatalError("\(chosen.rawValue): \(error)")
    }
    return 0
}
