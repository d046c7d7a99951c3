import HTTP

/// Any fields of proxies give hops in which nothing stands that is not an address; origins and traces come back as they
/// were.
///
/// Input: values of a field, each up to a line feed.
enum ForwardedRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        let values = input.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(20).map { Array($0).text }
        var headers = HTTPHeaders()
        for (index, value) in values.enumerated() {
            headers.append(["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto"][index % 3], value)
        }
        for hop in ForwardedHop.hops(ofForwarded: headers) + ForwardedHop.hops(ofXForwarded: headers) {
            if let address = hop.address {
                try expect(
                    !address.isEmpty && address.utf8.allSatisfy(isAddressCharacter), "'\(address)' is no address")
            }
            try expect(hop.port == nil || hop.address != nil, "a port without an address")
        }
        for value in values {
            if let trace = TraceContext(value) {
                let written = "00-\(trace.traceID)-\(trace.parentID)-\(trace.isSampled ? "01" : "00")"
                try expect(written.utf8.count == 55, "a trace of another length")
                try expectSame(TraceContext(written), trace, "a trace came back otherwise")
            }
            guard let origin = WebOrigin(value) else { continue }
            let written = "\(origin.scheme)://\(origin.host):\(origin.port)"
            try expectSame(WebOrigin(written), origin, "an origin came back otherwise")
        }
    }

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF:.".utf8.contains(byte)
    }
}
