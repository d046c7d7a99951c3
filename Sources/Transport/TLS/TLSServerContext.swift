internal import COpenSSL
internal import Glibc

/// A server's certificates and rules, from which TLS sessions are made on any loop.
public final class TLSServerContext: Sendable {
    /// What was read from the files.
    private struct Loaded: Sendable {
        var identities: [TLSIdentity]
        var authorities: ClientAuthorities?
        var contexts: TLSServerContexts
    }

    private let settings: TLSServerSettings
    private let loaded: Locked<Loaded>
    /// One set of keys for all loops and for what is read later, so that a session is resumed wherever it comes.
    private let ticketKeys = TicketKeyring()

    /// Reads one certificate, with the chain that follows it, and its key, both PEM.
    ///
    /// - Throws: `TransportError.unusableFile` when a file cannot be read or they do not belong together.
    public convenience init(certificateFile: String, keyFile: String) throws(TransportError) {
        try self.init(TLSServerSettings(certificate: .init(certificate: certificateFile, key: keyFile)))
    }

    /// Reads the files that the settings name.
    ///
    /// - Throws: `TransportError.unusableFile`, which names the file and says what is wrong with it.
    public init(_ settings: TLSServerSettings) throws(TransportError) {
        self.settings = settings
        var identities: [TLSIdentity] = []
        for files in [settings.certificate] + settings.certificates { identities.append(try TLSIdentity(files)) }
        let authorities = try settings.readAuthorities()
        loaded = Locked(
            Loaded(
                identities: identities, authorities: authorities,
                contexts: try TLSServerContexts(
                    identities, authorities: authorities, settings: settings, ticketKeys: ticketKeys)))
    }

    /// Reads all files again, for the connections that come from now on.
    ///
    /// - Returns: what went wrong, a line for each file; what such a file held before stays in use, and the others are
    ///   replaced none the less.
    public func reload() -> [TransportError] {
        var problems: [TransportError] = []
        var (identities, authorities) = loaded.withLock { ($0.identities, $0.authorities) }
        for index in identities.indices {
            do throws(TransportError) { identities[index] = try TLSIdentity(identities[index].files) } catch {
                problems.append(error)
            }
        }
        do throws(TransportError) { authorities = try settings.readAuthorities() } catch { problems.append(error) }
        do throws(TransportError) {
            let contexts = try TLSServerContexts(
                identities, authorities: authorities, settings: settings, ticketKeys: ticketKeys)
            loaded.withLock {
                $0 = Loaded(identities: identities, authorities: authorities, contexts: contexts)
            }
        } catch {
            problems.append(error)
        }
        return problems
    }

    /// What works, but not as it may be meant: the ``fileWarnings``, and kernel TLS where there is none.
    public var warnings: [String] {
        guard settings.usesKernel, let absence = KernelTLS.absence else { return fileWarnings }
        return fileWarnings + ["kernel_tls has no effect: \(absence)"]
    }

    /// What of the files works, but not as it may be meant: certificates that have expired, will soon or are never chosen, and
    /// authorities that vouch for nobody.
    public var fileWarnings: [String] {
        let (identities, authorities) = loaded.withLock { ($0.identities, $0.authorities) }
        var warnings: [String] = []
        for (index, identity) in identities.enumerated() {
            let file = identity.files.certificate
            for certificate in [identity.certificate] + identity.chain {
                if let complaint = certificate.dateComplaint {
                    warnings.append("a certificate in '\(file)' \(complaint)")
                }
            }
            if index > 0, identity.certificate.dnsNames.isEmpty {
                warnings.append("the certificate '\(file)' is never chosen: it has no DNS name (subjectAltName)")
            }
        }
        return warnings + (authorities?.warnings ?? [])
    }

    /// When the first of the certificates that it sends ends, in seconds since 1970.
    public var expiry: Int64? {
        loaded.withLock(\.identities).flatMap { [$0.certificate] + $0.chain }.compactMap(\.expiry).min()
    }

    /// The contexts that new sessions use.
    var current: TLSServerContexts { loaded.withLock { $0.contexts } }
}

extension TLSServerSettings {
    fileprivate func readAuthorities() throws(TransportError) -> ClientAuthorities? {
        guard clientCertificates != .none else { return nil }
        guard let clientAuthorities else { throw .tls("client certificates need a client_ca") }
        return try ClientAuthorities(clientAuthorities)
    }
}
