/// A `permessage-deflate` of a handshake, offered or accepted, with its four parameters (RFC 7692 section 7.1).
struct DeflateElement: Equatable {
    static let name = "permessage-deflate"

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    /// `nil`: it is not there.
    var serverMaxWindowBits: Int?
    var clientMaxWindowBits: ClientWindowBits?

    /// The one parameter whose value an offer may leave out (section 7.1.2.2).
    enum ClientWindowBits: Equatable {
        case anyValue
        case atMost(Int)
    }

    init() {}

    /// Reads an extension; `nil` where it is another one, or has a parameter that is unknown, comes twice or has a value
    /// that it must not have.
    init?(_ element: ExtensionElement) {
        guard element.name == Self.name else { return nil }
        for parameter in element.parameters {
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil):
                guard !serverNoContextTakeover else { return nil }
                serverNoContextTakeover = true
            case ("client_no_context_takeover", nil):
                guard !clientNoContextTakeover else { return nil }
                clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard serverMaxWindowBits == nil, let bits = Self.bits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", nil):
                guard clientMaxWindowBits == nil else { return nil }
                clientMaxWindowBits = .anyValue
            case ("client_max_window_bits", let value?):
                guard clientMaxWindowBits == nil, let bits = Self.bits(value) else { return nil }
                clientMaxWindowBits = .atMost(bits)
            default: return nil
            }
        }
    }

    /// 8–15 in decimal digits without a leading zero.
    private static func bits(_ text: String) -> Int? {
        (8...15).first { String($0) == text }
    }

    /// As it stands in a field.
    var text: String {
        var text = Self.name
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverMaxWindowBits { text += "; server_max_window_bits=\(serverMaxWindowBits)" }
        switch clientMaxWindowBits {
        case .anyValue: text += "; client_max_window_bits"
        case .atMost(let bits): text += "; client_max_window_bits=\(bits)"
        case nil: break
        }
        return text
    }
}
