import Broker
import CommandOptions
import Server
import Transport

// Where it listens, and how.
extension ServeSettings {
    /// The addresses of the words and the environment together take the place of all those of the file.
    static func listen(
        _ words: CommandWords, _ config: ConfigFile?
    ) throws(UsageError) -> [ServerSettings.Listen] {
        let given = try certificate(words)
        let file = config?.settings
        var listen: [ServerSettings.Listen] = []
        for text in words.texts("listen") {
            listen.append(.init(address: try address(text, words.label(of: "listen"))))
        }
        for text in words.texts("tls-listen") {
            let address = try address(text, words.label(of: "tls-listen"))
            listen.append(.init(address: address, tls: try tls(at: address, words, config, given)))
        }
        let areOfWords = !listen.isEmpty
        if listen.isEmpty, let places = file?.listen {
            listen = places.map {
                .init(
                    address: $0.address, tls: $0.tls == nil ? nil : ServeSettings.tls($0.tls, given),
                    compression: $0.compression, takesProxyProtocol: $0.takesProxyProtocol)
            }
        }
        guard given == nil || listen.contains(where: { $0.tls != nil }) else {
            throw UsageError(
                "\(words.label(of: "tls-cert")) and \(words.label(of: "tls-key")) go with --tls-listen ADDR")
        }
        if listen.isEmpty { listen = [.init(address: try address("127.0.0.1:8080", "--listen"))] }
        try checkAddresses(listen.map(\.address), areOfWords ? nil : config)
        if words.isGiven("compression") { try compress(&listen, words) }
        return listen
    }

    /// Refuses an address that stands twice: which of the two listeners a connection would come to nobody could say.
    private static func checkAddresses(_ addresses: [SocketAddress], _ file: ConfigFile?) throws(UsageError) {
        var seen: [SocketAddress: Int] = [:]
        // Each port 0 is another one.
        for (index, address) in addresses.enumerated() where address.port != 0 {
            guard let first = seen.updateValue(index, forKey: address) else { continue }
            guard let place = file?.place(of: "listen[\(index)].address") else {
                throw UsageError("\(address) stands twice among the addresses to listen at; name it once")
            }
            throw UsageError(
                "\(place): listen[\(index)].address is \(address), as that of listen[\(first)] is; name it once")
        }
    }

    /// What the words say of compression holds for all listeners; a file's further settings stay.
    private static func compress(
        _ listen: inout [ServerSettings.Listen], _ words: CommandWords
    ) throws(UsageError) {
        let text = try words.text("compression")
        guard let compression = CompressionSettings(text) else {
            throw UsageError(
                "\(words.label(of: "compression")) is off, on, above or above:BYTES, 0 to \(CompressionSettings.aboveRange.upperBound), such as above:1024, not \"\(text)\""
            )
        }
        for index in listen.indices {
            listen[index].compression.mode = compression.mode
            // Without a number the file's stays, or the default.
            if compression.mode == .above, text != compression.mode.rawValue {
                listen[index].compression.aboveBytes = compression.aboveBytes
            }
        }
    }

    /// The TLS of a listener that the words name: that of the file's listener with the same address, else what all of
    /// the file's agree in, for one of them must not pass for another.
    private static func tls(
        at address: SocketAddress, _ words: CommandWords, _ config: ConfigFile?,
        _ given: TLSServerSettings.CertificateFiles?
    ) throws(UsageError) -> TLSServerSettings {
        let listen = config?.settings.listen ?? []
        let candidates = filedTLS(at: address, listen).map { ServeSettings.tls(listen[$0].tls, given) }
        guard let tls = candidates.first ?? ServeSettings.tls(nil, given) else {
            throw UsageError(
                "\(words.label(of: "tls-listen")) needs --tls-cert FILE and --tls-key FILE; scripts/dev-cert makes them"
            )
        }
        guard candidates.allSatisfy({ $0 == tls }) else {
            throw UsageError(
                "\(words.label(of: "tls-listen")) \(address): the TLS listeners of '\(config?.path ?? "")' differ, and which one's \"tls\" is meant cannot be told; take the address of one of them, or add a listener with this one to the file"
            )
        }
        return tls
    }

    /// The places of the file's listeners that have TLS: those with the same address, or all where there is none.
    private static func filedTLS(at address: SocketAddress, _ listen: [SettingsFile.Listen]) -> [Int] {
        let all = listen.indices.filter { listen[$0].tls != nil }
        let same = all.filter { listen[$0].address == address }
        return same.isEmpty ? all : same
    }

    /// The place in the file of the listener whose TLS one in force has.
    func numberOfFiledTLS(_ index: Int) -> Int? {
        guard words.isGiven("listen") || words.isGiven("tls-listen") else { return index }
        return ServeSettings.filedTLS(at: server.listen[index].address, file?.settings.listen ?? []).first
    }

    /// The TLS of the file, with the certificate of the words in the place of its own.
    private static func tls(
        _ filed: TLSServerSettings?, _ given: TLSServerSettings.CertificateFiles?
    ) -> TLSServerSettings? {
        guard let given else { return filed }
        var tls = filed ?? TLSServerSettings(certificate: given)
        tls.certificate = given
        return tls
    }

    private static func certificate(_ words: CommandWords) throws(UsageError) -> TLSServerSettings.CertificateFiles? {
        switch (words.textIfAny("tls-cert"), words.textIfAny("tls-key")) {
        case (let certificate?, let key?):
            return TLSServerSettings.CertificateFiles(certificate: certificate, key: key)
        case (nil, nil): return nil
        default: throw UsageError("\(words.label(of: "tls-cert")) and \(words.label(of: "tls-key")) go together")
        }
    }

    private static func address(_ text: String, _ label: String) throws(UsageError) -> SocketAddress {
        do throws(TransportError) { return try SocketAddress.parse(text) } catch {
            throw UsageError("\(label): \(error)")
        }
    }
}
