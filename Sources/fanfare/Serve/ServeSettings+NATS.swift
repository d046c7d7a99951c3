import Broker
import CommandOptions
import Server
import Storage
import Transport

// The log that several brokers share.
extension ServeSettings {
    /// The servers of the words or the environment take the place of those of the file; the rest is the file's.
    static func nats(_ words: CommandWords, _ file: ConfigFile?) throws(UsageError) -> NATSSettings? {
        let filed = file?.settings.nats
        guard let text = words.textIfAny("nats") else {
            guard filed?.servers.isEmpty != true else {
                let place = file?.place(of: "nats").map { $0 + ": " } ?? ""
                throw UsageError("\(place)nats needs \"servers\", or --nats URL[,URL] (or FANFARE_NATS)")
            }
            return filed
        }
        guard let settings = NATSSettings.reading(text, over: filed) else {
            throw UsageError(
                "\(words.label(of: "nats")) is URLs of NATS servers, such as nats://127.0.0.1:4222, with commas between them; all of them begin with tls://, or none"
            )
        }
        return settings
    }

    /// Refuses to serve with files for NATS that cannot be used.
    func checkNATSFiles() throws(UsageError) {
        guard let nats = server.nats else { return }
        let files = [
            ("credentials_file", nats.credentials), ("ca_file", nats.authorities), ("cert", nats.certificate),
            ("key", nats.key),
        ]
        for case (let name, let path?) in files {
            do throws(RegularFile.Failure) { try RegularFile.check(path) } catch {
                let place = file?.place(of: "nats.\(name)").map { $0 + ": " } ?? ""
                throw UsageError("\(place)nats.\(name): the file '\(path)' cannot be read: \(error)")
            }
        }
        if let flaw = nats.flaw() {
            throw UsageError((file?.place(of: "nats").map { $0 + ": " } ?? "") + flaw)
        }
    }
}
