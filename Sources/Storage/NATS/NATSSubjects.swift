/// The names of streams and subjects.
struct NATSSubjects: Sendable {
    private let name: String
    private let partitions: Int

    init(_ settings: NATSSettings) {
        name = settings.name
        partitions = max(1, settings.partitions)
    }

    // MARK: Streams

    /// The streams of the log.
    var logs: [String] { (0..<partitions).map(log) }

    /// The stream of snapshots and revocations.
    var state: String { "\(name)-state" }

    /// The stream in which a channel stands.
    func log(of channel: String) -> String { log(partition(of: channel)) }

    private func log(_ partition: Int) -> String { "\(name)-log-\(partition)" }

    /// FNV-1a, as it is the same on all machines.
    private func partition(of channel: String) -> Int {
        let hash = channel.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return Int(hash % UInt64(partitions))
    }

    // MARK: Subjects

    /// All that a stream of the log takes.
    func entries(inPartition partition: Int) -> String { "\(name).log.\(partition).*" }

    /// Where the entries of a stream are told, by channel.
    var told: String { "\(name).channel.{{wildcard(1)}}.log" }

    /// Where a channel's entries are appended.
    func entries(of channel: String) -> String {
        "\(name).log.\(partition(of: channel)).\(Self.token(channel))"
    }

    /// All that a channel's followers hear.
    func news(of channel: String) -> String { "\(name).channel.\(Self.token(channel)).*" }

    /// Where brokers say something about a channel.
    func said(of channel: String) -> String { "\(name).channel.\(Self.token(channel)).said" }

    /// All that the stream of snapshots takes.
    var allState: String { "\(name).state.>" }

    /// Where a channel's newest snapshot is named.
    func head(of channel: String) -> String { "\(name).state.head.\(Self.token(channel))" }

    /// A part of a snapshot, or all of them.
    func part(_ index: Int?, of channel: String, at position: UInt64) -> String {
        "\(name).state.part.\(Self.token(channel)).\(position).\(index.map(String.init) ?? "*")"
    }

    /// Where a user's revocation stands.
    func revocation(of user: String) -> String { "\(name).state.revoked.\(Self.token(user))" }

    /// All revocations.
    var revocations: String { "\(name).state.revoked.*" }

    /// A name as one token of a subject: what has a meaning there or in JSON, and `%`, as `%` and two digits.
    static func token(_ name: String) -> String {
        var token = ""
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                token.unicodeScalars.append(Unicode.Scalar(byte))
            default: token += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return token
    }

    /// The name that a token stands for; `nil` where it is none.
    static func name(ofToken token: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(token).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
