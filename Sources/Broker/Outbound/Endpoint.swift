/// A server of the operator's that is told or asked something.
public struct Endpoint: Sendable, Equatable {
    /// Where it is.
    public var url: OutboundURL
    /// What requests are signed with.
    public var secret: SigningSecret
    /// How long it may take to answer, in milliseconds, from the look-up of its name on.
    public var timeoutMilliseconds: Int
    /// A file of certificates (PEM) to trust instead of the system's.
    public var caFile: String?

    /// Makes an endpoint.
    public init(url: OutboundURL, secret: SigningSecret, timeoutMilliseconds: Int, caFile: String? = nil) {
        self.url = url
        self.secret = secret
        self.timeoutMilliseconds = timeoutMilliseconds
        self.caFile = caFile
    }

    /// A signed request with this body; `at` in Unix milliseconds.
    func request(body: [UInt8], at: Int64) -> ClientRequest {
        let id = secret.messageID(of: body)
        let timestamp = String(at / 1000)
        return ClientRequest(
            url: url,
            fields: [
                ("content-type", "application/json"), ("user-agent", "fanfare"), ("webhook-id", id),
                ("webhook-timestamp", timestamp),
                ("webhook-signature", secret.signature(id: id, timestamp: timestamp, body: body)),
            ], body: body, timeout: .milliseconds(timeoutMilliseconds), caFile: caFile)
    }
}
