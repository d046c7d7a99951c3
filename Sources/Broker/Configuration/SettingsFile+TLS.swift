import Transport

// The TLS of a listener in a settings file.
extension SettingsFile {
    private static let tlsNames = [
        "cert", "key", "certificates", "client_certificates", "client_ca", "minimum_version", "kernel_tls",
    ]

    mutating func readTLS(_ entry: SettingsObject.Entry) throws(SettingsError) -> TLSServerSettings {
        let object = try entry.object(SettingsFile.tlsNames, lines: &lines)
        var settings = TLSServerSettings(certificate: try SettingsFile.readCertificate(object))
        if let entry = object["certificates"] {
            for element in try entry.list() {
                let object = try element.object(["cert", "key"], lines: &lines)
                settings.certificates.append(try SettingsFile.readCertificate(object))
            }
        }
        if let entry = object["client_certificates"] {
            settings.clientCertificates = try entry.choice(of: TLSServerSettings.ClientCertificates.self)
        }
        if let entry = object["client_ca"], !entry.isNull { settings.clientAuthorities = try entry.text() }
        if let entry = object["minimum_version"] {
            settings.minimumVersion = try entry.choice(of: TLSServerSettings.Version.self)
        }
        if let entry = object["kernel_tls"] { settings.usesKernel = try entry.flag() }
        switch (settings.clientCertificates, settings.clientAuthorities) {
        case (.none, .some):
            throw (object["client_ca"] ?? entry).error(
                "is for clients with certificates, and nobody asks for them: set client_certificates to optional or required"
            )
        case (.optional, nil), (.required, nil):
            throw entry.error("needs \"client_ca\", the file of the authorities that vouch for clients")
        default: return settings
        }
    }

    private static func readCertificate(
        _ object: SettingsObject
    ) throws(SettingsError) -> TLSServerSettings.CertificateFiles {
        .init(certificate: try object.required("cert").text(), key: try object.required("key").text())
    }
}
