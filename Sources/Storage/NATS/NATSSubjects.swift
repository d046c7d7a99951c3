/// The names of streams and subjects, in one life of the streams.
struct NATSSubjects: Sendable {
    private let name: String
    private let names: StreamNames
    /// Which lives the streams have.
    let lives: StreamLives

    init(_ settings: NATSSettings, _ lives: StreamLives) {
        name = settings.name
        names = StreamNames(settings)
        self.lives = lives
    }

    // MARK: Streams

    /// The streams of the log.
    var logs: [String] { names.logs }

    /// The stream of snapshots and revocations.
    var state: String { names.state }

    /// All that the stream of snapshots and revocations takes.
    var allState: String { names.allState }

    /// The stream in which a channel stands.
    func log(of channel: String) -> String { names.log(partition(of: channel)) }

    /// The number of the stream in which a channel stands: FNV-1a, as it is the same on all machines.
    func partition(of channel: String) -> Int {
        let hash = channel.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return Int(hash % UInt64(names.partitions.count))
    }

    /// The life of the stream in which a channel stands.
    private func life(of channel: String) -> String { lives.logs[partition(of: channel)] }

    /// With what the subjects of each stream of the log begin in the life that this broker knows.
    var beginnings: [(stream: String, beginning: String)] {
        names.partitions.map { (names.log($0), names.logBegin($0) + lives.logs[$0] + ".") }
    }

    // MARK: Subjects

    /// With what the subjects begin of the stream in which a channel stands.
    func beginning(of channel: String) -> String { names.logBegin(partition(of: channel)) + life(of: channel) + "." }

    /// Where a channel's entries are appended.
    func entries(of channel: String) -> String {
        beginning(of: channel) + Self.token(channel)
    }

    /// All that a channel's followers hear.
    func news(of channel: String) -> String { "\(name).channel.\(life(of: channel)).\(Self.token(channel)).*" }

    /// Where brokers say something about a channel.
    func said(of channel: String) -> String { "\(name).channel.\(life(of: channel)).\(Self.token(channel)).said" }

    /// Where a channel's newest snapshot is named: a snapshot belongs to one life of its log.
    func head(of channel: String) -> String { "\(names.stateBegin)head.\(life(of: channel)).\(Self.token(channel))" }

    /// A part of a snapshot.
    func part(_ index: Int, of channel: String, at position: UInt64) -> String {
        let channelAndPosition = "\(life(of: channel)).\(Self.token(channel)).\(position)"
        return "\(names.stateBegin)part.\(channelAndPosition).\(index)"
    }

    /// Where a user's revocation stands, in whichever life.
    func revocation(of user: String) -> String { "\(names.stateBegin)revoked.\(Self.token(user))" }

    /// All revocations.
    var revocations: String { names.stateBegin + "revoked.*" }

    /// Where brokers put what tells them the servers' time.
    var clock: String { names.clock }

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
