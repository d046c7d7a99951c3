import Testing

@testable import HTTP

/// What hops are said to be: `ADDRESS:PORT SCHEME`, `-` for what is not known, `(no sender)` where none is spoken of.
private func described(_ hops: [ForwardedHop]) -> [String] {
    hops.map { hop in
        let sender = hop.isAboutSender ? (hop.address ?? "-") + (hop.port.map { ":\($0)" } ?? "") : "(no sender)"
        return sender + (hop.scheme.map { " " + $0 } ?? "")
    }
}

@Suite("Forwarded (RFC 7239) and its older kin")
struct ForwardedHopTests {
    @Test(
        "Forwarded",
        arguments: [
            (["for=192.0.2.43"], ["192.0.2.43"]), (["For=\"[2001:db8:cafe::17]:4711\""], ["2001:db8:cafe::17:4711"]),
            (["for=192.0.2.60;proto=http;by=203.0.113.43"], ["192.0.2.60 http"]),
            (["for=192.0.2.43, for=198.51.100.17"], ["192.0.2.43", "198.51.100.17"]),
            (["for=192.0.2.43", "for=198.51.100.17"], ["192.0.2.43", "198.51.100.17"]),
            (["for=_hidden, for=_SEVKISEK"], ["-", "-"]), (["for=unknown"], ["-"]), (["for=\"_gazonk\""], ["-"]),
            (["for=\"192.0.2.1:_x\""], ["192.0.2.1"]), (["FOR=192.0.2.1;PROTO=HTTPS"], ["192.0.2.1 https"]),
            (["proto=https"], ["(no sender) https"]), (["by=_a;host=\"a,b;c\";for=192.0.2.1"], ["192.0.2.1"]),
            ([" for=192.0.2.1 ,, for=192.0.2.2; "], ["192.0.2.1", "192.0.2.2"]),
            (["for=\"192.0.2.1"], ["-"]), (["for=\"a, for=192.0.2.1"], ["-"]), (["192.0.2.1"], ["-"]),
            (["for=192.0.2.1;for=192.0.2.2"], ["-"]), (["for=\"192.0.2.\\1\""], ["192.0.2.1"]),
            (["for=192.0.2.1\"x\""], ["-"]), (["for=\"192.0.2.1\"x"], ["-"]), (["for="], ["-"]), ([""], []),
            (["for=\"[2001:db8::1\""], ["-"]), (["for=\"[2001:db8::1]x\""], ["-"]),
            (["for=\"192.0.2.1:99999\""], ["-"]),
        ] as [([String], [String])])
    func forwarded(fields: [String], expected: [String]) {
        let headers = HTTPHeaders(fields.map { ("Forwarded", $0) })
        #expect(described(ForwardedHop.hops(ofForwarded: headers)) == expected)
    }

    @Test(
        "X-Forwarded-For and X-Forwarded-Proto",
        arguments: [
            (["192.0.2.1"], [], ["192.0.2.1"]), (["192.0.2.1, 192.0.2.2"], [], ["192.0.2.1", "192.0.2.2"]),
            (["192.0.2.1", "192.0.2.2:80"], ["https"], ["192.0.2.1 https", "192.0.2.2:80 https"]),
            (["192.0.2.1, 192.0.2.2"], ["https, HTTP"], ["192.0.2.1 https", "192.0.2.2 http"]),
            (["192.0.2.1"], ["https, http"], ["192.0.2.1 http"]), ([], ["https"], ["(no sender) https"]), ([], [], []),
            (["2001:db8::1"], [], ["2001:db8::1"]), (["[2001:db8::1]"], [], ["2001:db8::1"]),
            (["[2001:db8::1]:9"], [], ["2001:db8::1:9"]), (["unknown, 192.0.2.1"], [], ["-", "192.0.2.1"]),
            (["\", 192.0.2.1"], [], ["-", "192.0.2.1"]), (["localhost"], [], ["-"]), (["192.0.2.1:"], [], ["-"]),
        ] as [([String], [String], [String])])
    func xForwarded(senders: [String], schemes: [String], expected: [String]) {
        let headers = HTTPHeaders(
            senders.map { ("X-Forwarded-For", $0) } + schemes.map { ("x-forwarded-proto", $0) })
        #expect(described(ForwardedHop.hops(ofXForwarded: headers)) == expected)
    }
}
