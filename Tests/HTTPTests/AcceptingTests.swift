import Testing

@testable import HTTP

@Suite("Which content codings a request takes (RFC 9110 section 12.5.3)")
struct AcceptingTests {
    private func accepts(_ fields: [String]) -> Bool {
        HTTPHeaders(fields.map { ("Accept-Encoding", $0) }).acceptsGzip
    }

    @Test(
        "gzip is taken where it is named, or stands under the asterisk, with a weight above 0",
        arguments: [
            "gzip", "GZIP", "x-gzip", "gzip, deflate, br, zstd", "br;q=1, gzip;q=0.001", "*", "*;q=0.5", "deflate, *",
            "gzip;q=1", "gzip;q=1.", "gzip;q=1.000", "gzip ; q=0.5", "gzip;\tQ=0.5", "*;q=0, gzip", ",, gzip ,",
            "identity;q=0, gzip;q=0.1", "identity, gzip", "identity;q=0.5, gzip;q=0.5",
        ])
    func taken(field: String) {
        #expect(accepts([field]))
    }

    @Test(
        "it is not where the weight is 0, nothing names it, or the plain body is liked better",
        arguments: [
            "", "identity", "br", "deflate, zstd", "gzip;q=0", "gzip;q=0.000", "*;q=0", "*, gzip;q=0", "x-gzip;q=0, *",
            "gzipped", "gzip;q=0.5, identity", "gzip;q=0.1, identity;q=0.2",
        ])
    func refused(field: String) {
        #expect(!accepts([field]))
    }

    @Test(
        "a weight that is malformed counts as 0",
        arguments: [
            "gzip;q", "gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=.5", "gzip;q=-1", "gzip;q=0,5x",
            "gzip;q=0x1", "gzip;w=1", "gzip;q=1;q=1", "gzip;", "gzip;q= 1", "gzip;q=05", "gzip;q=1.\u{661}",
        ])
    func malformed(field: String) {
        #expect(!accepts([field]))
    }

    @Test("without the field the body comes as it is; several fields are one list")
    func fields() {
        #expect(!accepts([]))
        #expect(accepts(["br", "gzip"]))
        #expect(!accepts(["*", "gzip;q=0"]))
    }
}
