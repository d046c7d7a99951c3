// What the two ends say about permessage-deflate in the opening handshake (RFC 7692 sections 5 and 7.1).

extension DeflateSettings {
    /// The server's judgement: takes the first offer that it can keep, and declines all others by saying nothing.
    ///
    /// - Returns: What is in force, and the field's value that says so; `nil` where there is no such offer.
    func accept(_ offers: [ExtensionElement]) -> (parameters: DeflateParameters, answer: String)? {
        for element in offers {
            guard let offer = DeflateElement(element) else { continue }
            if let accepted = accept(offer) { return accepted }
        }
        return nil
    }

    private func accept(_ offer: DeflateElement) -> (parameters: DeflateParameters, answer: String)? {
        let ownBits = min(windowBits, offer.serverMaxWindowBits ?? 15)
        // zlib has no compressor for a window of 256 bytes.
        guard ownBits >= 9 else { return nil }
        var answer = DeflateElement()
        answer.serverNoContextTakeover = offer.serverNoContextTakeover || !keepsOwnContext
        // The window of a client that cannot be told how large it may be is as large as any: it is not kept then.
        let isUntold = offer.clientMaxWindowBits == nil && windowBits < 15
        answer.clientNoContextTakeover = offer.clientNoContextTakeover || !keepsPeerContext || isUntold
        if offer.serverMaxWindowBits != nil || ownBits < 15 { answer.serverMaxWindowBits = ownBits }
        // The client's window is its own affair unless it says that it can be told (section 7.1.2.2).
        var peerBits = 15
        switch offer.clientMaxWindowBits {
        case .anyValue: peerBits = windowBits
        case .atMost(let bits): peerBits = min(windowBits, bits)
        case nil: break
        }
        if peerBits < 15 { answer.clientMaxWindowBits = .atMost(peerBits) }
        let parameters = DeflateParameters(
            keepsOwnContext: !answer.serverNoContextTakeover, keepsPeerContext: !answer.clientNoContextTakeover,
            ownWindowBits: ownBits, peerWindowBits: peerBits, minimumBytes: minimumBytes, maxRatio: maxRatio)
        return (parameters, answer.text)
    }
}

extension DeflateSettings {
    /// The client's offer.
    var offer: DeflateElement {
        var offer = DeflateElement()
        offer.serverNoContextTakeover = !keepsPeerContext
        offer.clientNoContextTakeover = !keepsOwnContext
        if windowBits < 15 { offer.serverMaxWindowBits = windowBits }
        offer.clientMaxWindowBits = .anyValue
        return offer
    }

    /// The client's judgement of what the server made of its offer.
    ///
    /// - Returns: What is in force; `nil` where the server declined.
    /// - Throws: `HandshakeError` where the answer does not go with the offer, which fails the connection.
    func check(_ answer: [ExtensionElement]) throws(HandshakeError) -> DeflateParameters? {
        guard let element = answer.first else { return nil }
        guard answer.count == 1, element.name == DeflateElement.name else { throw .unexpectedExtension }
        let offer = offer
        guard let accepted = DeflateElement(element), accepted.clientMaxWindowBits != .anyValue,
            accepted.serverNoContextTakeover || !offer.serverNoContextTakeover,
            accepted.serverMaxWindowBits ?? 15 <= offer.serverMaxWindowBits ?? 15
        else { throw .invalidExtension }
        var ownBits = windowBits
        if case .atMost(let bits) = accepted.clientMaxWindowBits { ownBits = min(ownBits, bits) }
        return DeflateParameters(
            keepsOwnContext: keepsOwnContext && !accepted.clientNoContextTakeover,
            keepsPeerContext: !accepted.serverNoContextTakeover, ownWindowBits: ownBits,
            peerWindowBits: accepted.serverMaxWindowBits ?? 15, minimumBytes: minimumBytes, maxRatio: maxRatio)
    }
}
