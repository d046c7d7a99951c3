import COpenSSL
import Foundation

/// What requests to other servers are signed with, in the way of Standard Webhooks (version 1, HMAC-SHA256).
public struct SigningSecret: Sendable, Equatable {
    private let key: [UInt8]

    /// Takes a secret as it is written in settings: `whsec_` and Base64 stand for those bytes, any other text for its own.
    ///
    /// `nil` where no key comes of it: `whsec_` with nothing behind, or with what is no Base64.
    public init?(_ text: String) {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix) else {
            key = Array(text.utf8)
            return
        }
        guard let decoded = Data(base64Encoded: String(text.dropFirst(prefix.count))), !decoded.isEmpty else {
            return nil
        }
        key = Array(decoded)
    }

    /// What `webhook-id` says: the same for the same body, so that a retry is known by it.
    func messageID(of body: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return "msg_" + code(of: body).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// What `webhook-signature` says; the timestamp is in seconds since 1970.
    func signature(id: String, timestamp: String, body: [UInt8]) -> String {
        "v1," + Data(code(of: Array("\(id).\(timestamp).".utf8) + body)).base64EncodedString()
    }

    private func code(of bytes: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        // The pointers are used within the call; SHA-256 writes 32 bytes.
        unsafe HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &code, &length)
        return code
    }
}
