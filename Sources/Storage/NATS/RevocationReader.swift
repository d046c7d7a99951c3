import Locks

/// Reads all revocations, one after the other.
final class RevocationReader: Sendable {
    private let link: NATSLink
    private let subjects: NATSSubjects
    private let found = Locked<[Revocation]>([])
    private let answer: @Sendable (Result<[Revocation], StoreError>) -> Void

    init(
        _ link: NATSLink, _ subjects: NATSSubjects,
        answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void
    ) {
        self.link = link
        self.subjects = subjects
        self.answer = answer
    }

    func begin() {
        readNext(from: 1)
    }

    private func readNext(from place: UInt64) {
        let request = #"{"seq":\#(place),"next_by_subj":"\#(subjects.revocations)"}"#
        link.askLeader(of: subjects.state, request) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(error))
            case .success(nil): answer(.success(found.withLock { $0 }))
            case .success(let message?):
                found.withLock { found in
                    if let revocation = Revocation(message.bytes) { found.append(revocation) }
                }
                readNext(from: message.sequence + 1)
            }
        }
    }
}

extension Revocation {
    /// Its form in the log: the moment in decimal digits, the user, and who revoked, with a blank between them.
    var bytes: [UInt8] { Array("\(at) \(user) \(by)".utf8) }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let at = Int64(words[0]), !words[1].isEmpty else { return nil }
        self.init(user: String(words[1]), at: at, by: String(words[2]))
    }
}
