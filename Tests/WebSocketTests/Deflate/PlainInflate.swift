/// DEFLATE by the plainest means (RFC 1951), as a model to compare with: a bit at a time, and codes looked up in a list.
struct PlainInflate {
    struct Malformed: Error {}

    /// What was inflated, what came before included.
    private(set) var output: [UInt8]
    /// How far back the farthest reference went.
    private(set) var farthest = 0
    private let bytes: [UInt8]
    private var bit = 0

    /// Inflates a message's payload behind what came before; the four bytes that it lacks are added here.
    static func message(_ payload: [UInt8], after history: [UInt8] = []) throws -> PlainInflate {
        var inflate = PlainInflate(output: history, bytes: payload + [0, 0, 0xFF, 0xFF])
        while inflate.bit < inflate.bytes.count * 8 {
            if try inflate.block() { inflate.align() }
        }
        return inflate
    }

    private init(output: [UInt8], bytes: [UInt8]) {
        self.output = output
        self.bytes = bytes
    }

    private mutating func bits(_ count: Int) throws -> Int {
        var value = 0
        for index in 0..<count {
            guard bit < bytes.count * 8 else { throw Malformed() }
            value |= Int(bytes[bit / 8] >> UInt8(bit % 8) & 1) << index
            bit += 1
        }
        return value
    }

    private mutating func align() { bit = (bit + 7) / 8 * 8 }

    /// Inflates a block; says whether it calls itself the last one.
    private mutating func block() throws -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0:
            align()
            let (length, complement) = (try bits(16), try bits(16))
            guard length == ~complement & 0xFFFF else { throw Malformed() }
            for _ in 0..<length { output.append(UInt8(try bits(8))) }
        case 1:
            let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            try symbols(Code(lengths), Code(Array(repeating: 5, count: 30)))
        case 2:
            let (literals, distances, count) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
            var lengths = Array(repeating: 0, count: 19)
            for index in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(count) {
                lengths[index] = try bits(3)
            }
            let code = Code(lengths)
            lengths = []
            while lengths.count < literals + distances {
                switch try symbol(code) {
                case 16: lengths += Array(repeating: lengths[lengths.count - 1], count: 3 + (try bits(2)))
                case 17: lengths += Array(repeating: 0, count: 3 + (try bits(3)))
                case 18: lengths += Array(repeating: 0, count: 11 + (try bits(7)))
                case let length: lengths.append(length)
                }
            }
            try symbols(Code(Array(lengths[..<literals])), Code(Array(lengths[literals...])))
        default: throw Malformed()
        }
        return isLast
    }

    /// A Huffman code: the symbols by length and value (section 3.2.2).
    private struct Code {
        var symbols: [[Int]: Int] = [:]

        init(_ lengths: [Int]) {
            var next = 0
            for length in 1...15 {
                for (symbol, own) in lengths.enumerated() where own == length {
                    symbols[[length, next]] = symbol
                    next += 1
                }
                next <<= 1
            }
        }
    }

    private mutating func symbol(_ code: Code) throws -> Int {
        var value = 0
        for length in 1...15 {
            value = value << 1 | (try bits(1))
            if let symbol = code.symbols[[length, value]] { return symbol }
        }
        throw Malformed()
    }

    private mutating func symbols(_ literals: Code, _ distances: Code) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            let length = symbol == 285 ? 258 : try number(symbol - 257, from: 3, step: 4)
            let distance = try number(self.symbol(distances), from: 1, step: 2)
            guard distance <= output.count else { throw Malformed() }
            farthest = max(farthest, distance)
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    /// A length or a distance: `step` codes for each number of further bits (section 3.2.5).
    private mutating func number(_ code: Int, from first: Int, step: Int) throws -> Int {
        let extra = max(0, code / step - 1)
        let base = code < step ? code : (step + code % step) << extra
        return first + base + (try bits(extra))
    }
}
