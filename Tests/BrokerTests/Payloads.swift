/// The payloads of unmasked text frames.
func payloads(frames: [UInt8]) -> [[UInt8]] {
    var rest = frames[...]
    var payloads: [[UInt8]] = []
    while rest.count >= 2 {
        var length = Int(rest[rest.startIndex + 1])
        var header = 2
        if length == 126 {
            length = Int(rest[rest.startIndex + 2]) << 8 | Int(rest[rest.startIndex + 3])
            header = 4
        }
        payloads.append(Array(rest.dropFirst(header).prefix(length)))
        rest = rest.dropFirst(header + length)
    }
    return payloads
}
