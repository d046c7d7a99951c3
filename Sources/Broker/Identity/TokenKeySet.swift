/// The keys of a JWK Set (RFC 7517 section 5) by which tokens can be checked.
///
/// A set is often made for others too, so a key that is no use here is left out, with the reason, as RFC 7517 section 5
/// asks for. A file that is no JWK Set is an error.
public struct TokenKeySet: Sendable {
    /// What is to be known of a key that can be used.
    public struct Entry: Sendable, Equatable {
        /// By which tokens name it.
        public var id: String?
        /// What it is for.
        public var algorithm: TokenAlgorithm
    }

    /// What a person should know of the file: the line, and what is odd there.
    public struct Remark: Sendable, Equatable {
        /// Where the key begins, counted from 1.
        public var line: Int
        /// What is odd, in words that repeat nothing secret.
        public var words: String
    }

    /// The most keys of a file: a token without a `kid` is tried against all of its algorithm.
    static let maxKeys = 32

    let keys: [VerificationKey]
    /// What was left out, and why; and what should not be in such a file.
    public let remarks: [Remark]

    /// The keys that can be used.
    public var entries: [Entry] { keys.map { Entry(id: $0.id, algorithm: $0.algorithm) } }

    /// Reads a set.
    ///
    /// - Throws: the first ``SettingsError``: no JSON, no JWK Set, a member of the wrong kind, too many keys, or two
    ///   with the same `kid` and algorithm.
    public init(_ bytes: [UInt8]) throws(SettingsError) {
        let top = try SettingsJSON.read(bytes)
        guard case .object(let members) = top.kind, let list = members.first(where: { $0.name == "keys" })?.value,
            case .array(let elements) = list.kind
        else { throw SettingsError(line: top.line, "this is no key set: an object with a list \"keys\" (RFC 7517)") }
        guard elements.count <= TokenKeySet.maxKeys else {
            throw SettingsError(
                line: list.line, "\"keys\" has \(elements.count) keys; \(TokenKeySet.maxKeys) are the most")
        }
        var keys: [VerificationKey] = []
        var remarks: [Remark] = []
        for (index, element) in elements.enumerated() {
            let key = try WebKey(element, "keys[\(index)]")
            if key.isPrivate {
                remarks.append(
                    Remark(
                        line: element.line, words: "\(key.path) has its private half here; give the public one alone"))
            }
            do throws(WebKey.Unused) { keys.append(try key.verificationKey()) } catch {
                remarks.append(Remark(line: element.line, words: "\(key.path) is not used: \(error.reason)"))
                continue
            }
            let last = keys[keys.count - 1]
            if last.id != nil, keys.dropLast().contains(where: { $0.id == last.id && $0.algorithm == last.algorithm }) {
                throw SettingsError(
                    line: element.line, "\(key.path) has the kid of another key of \(last.algorithm.rawValue)")
            }
        }
        self.keys = keys
        self.remarks = remarks
    }
}

/// One JSON Web Key (RFC 7517 section 4), as far as it concerns the checking of signatures.
struct WebKey {
    /// Why a key is left out.
    struct Unused: Error {
        var reason: String
    }

    let path: String
    private let texts: [String: String]
    private let operations: [String]?

    /// Reads a key's members; those that are not known here may be of any kind.
    init(_ json: SettingsJSON, _ path: String) throws(SettingsError) {
        self.path = path
        guard case .object(let members) = json.kind else {
            throw SettingsError(line: json.line, "\(path) is a key, {…}, not \(json.described)")
        }
        var texts: [String: String] = [:]
        var operations: [String]?
        for member in members {
            let entry = SettingsObject.Entry(path: "\(path).\(member.name)", value: member.value)
            switch member.name {
            case "kty", "kid", "use", "alg", "crv", "n", "e", "x", "y", "k", "d": texts[member.name] = try entry.text()
            case "key_ops":
                var names: [String] = []
                for element in try entry.list() { names.append(try element.text()) }
                operations = names
            default: continue
            }
        }
        guard texts["kty"] != nil else { throw SettingsError(line: json.line, "\(path) needs \"kty\"") }
        self.texts = texts
        self.operations = operations
    }

    /// Whether the half that signs is there too.
    var isPrivate: Bool { texts["kty"] != "oct" && texts["d"] != nil }

    /// The key, where it is one for checking tokens.
    func verificationKey() throws(Unused) -> VerificationKey {
        if let use = texts["use"], use != "sig" { throw Unused(reason: "its use is not sig") }
        if let operations, !operations.contains("verify") { throw Unused(reason: "its key_ops do not have verify") }
        let key = try material()
        if let name = texts["alg"], name != key.algorithm.rawValue {
            throw Unused(reason: "its alg is not \(key.algorithm.rawValue), the one that is taken for its kind")
        }
        return key
    }

    private func material() throws(Unused) -> VerificationKey {
        let id = texts["kid"]
        switch texts["kty"] {
        case "oct":
            let secret = try bytes("k")
            // RFC 7518 section 3.2: at least as long as the hash.
            guard secret.count >= 32 else { throw Unused(reason: "its secret has fewer than 32 bytes") }
            return VerificationKey(secret: secret, id: id)
        case "RSA":
            guard let key = PublicKey(modulus: try bytes("n"), exponent: try bytes("e")) else {
                let bits = PublicKey.rsaBits
                throw Unused(reason: "it is no RSA key of \(bits.lowerBound) to \(bits.upperBound) bits")
            }
            return VerificationKey(key, id: id)
        case "EC":
            guard texts["crv"] == "P-256" else { throw Unused(reason: "its curve is not P-256") }
            guard let key = PublicKey(x: try bytes("x"), y: try bytes("y")) else {
                throw Unused(reason: "x and y are no point of P-256")
            }
            return VerificationKey(key, id: id)
        case "OKP":
            guard texts["crv"] == "Ed25519" else { throw Unused(reason: "its curve is not Ed25519") }
            guard let key = PublicKey(ed25519: try bytes("x")) else { throw Unused(reason: "x does not have 32 bytes") }
            return VerificationKey(key, id: id)
        default: throw Unused(reason: "its kty is none of RSA, EC, OKP and oct")
        }
    }

    private func bytes(_ name: String) throws(Unused) -> [UInt8] {
        guard let text = texts[name] else { throw Unused(reason: "\(name) is missing") }
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw Unused(reason: "\(name) is not base64url without padding")
        }
        return bytes
    }
}
