import Broker
import CommandOptions
import Server
import Transport

// Where it listens, and how.
extension SettingsReport {
    /// Adds the rows of one listener, in the order of the listeners that are in force.
    mutating func addListener(_ index: Int) {
        let listen = settings.server.listen[index]
        let place = "listen[\(index)]."
        add(
            place + "address", listen.address.description, options: [listen.tls == nil ? "listen" : "tls-listen"],
            path: filed(index, "address"))
        add(
            place + "proxy_protocol", listen.takesProxyProtocol ? "on" : "off", path: filed(index, "proxy_protocol"))
        addCompression(listen.compression, index)
        if let tls = listen.tls { addTLS(tls, index) }
    }

    /// The path of a listener's setting in the file; none where words name the listeners and the file's are not in force.
    private func filed(_ index: Int, _ setting: String) -> String {
        areOfWords ? "" : "listen[\(index)].\(setting)"
    }

    private var areOfWords: Bool { settings.words.isGiven("listen") || settings.words.isGiven("tls-listen") }

    private mutating func addCompression(_ compression: CompressionSettings, _ index: Int) {
        let mode = compression.mode
        let place = "listen[\(index)].compression."
        func path(_ name: String) -> String { filed(index, "compression.\(name)") }
        add(place + "mode", mode.rawValue, options: ["compression"], path: path("mode"))
        if mode == .above {
            let bytes = String(compression.aboveBytes)
            add(place + "above_bytes", bytes, options: ["compression"], path: path("above_bytes"))
        }
        guard mode != .off else { return }
        let takeover = String(compression.contextTakeover)
        add(place + "context_takeover", takeover, path: path("context_takeover"))
        add(place + "window_bits", String(compression.windowBits), path: path("window_bits"))
    }

    private mutating func addTLS(_ tls: TLSServerSettings, _ index: Int) {
        let place = "listen[\(index)].tls."
        let filed = settings.numberOfFiledTLS(index).map { "listen[\($0)].tls." } ?? ""
        add(place + "cert", tls.certificate.certificate, options: ["tls-cert"], path: filed + "cert")
        add(place + "key", tls.certificate.key, options: ["tls-key"], path: filed + "key")
        for (number, files) in tls.certificates.enumerated() {
            let name = "certificates[\(number)]."
            add(place + name + "cert", files.certificate, path: filed + name + "cert")
            add(place + name + "key", files.key, path: filed + name + "key")
        }
        let clients = "client_certificates"
        add(place + clients, tls.clientCertificates.rawValue, path: filed + clients)
        if let file = tls.clientAuthorities { add(place + "client_ca", file, path: filed + "client_ca") }
        add(place + "minimum_version", tls.minimumVersion.rawValue, path: filed + "minimum_version")
        add(place + "kernel_tls", String(tls.usesKernel), path: filed + "kernel_tls")
    }
}
