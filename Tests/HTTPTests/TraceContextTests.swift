import Testing

@testable import HTTP

@Suite("The field traceparent (W3C Trace Context, section 3.2)")
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(
        "A value of the form is read, and of later versions what is known",
        arguments: [
            ("00-\(trace)-\(parent)-01", true), ("00-\(trace)-\(parent)-00", false),
            ("00-\(trace)-\(parent)-fe", false),
            ("00-\(trace)-\(parent)-ff", true), ("cc-\(trace)-\(parent)-01", true),
            ("cc-\(trace)-\(parent)-01-what-may-come", true), ("01-\(trace)-\(parent)-01-", true),
        ])
    func read(value: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(value))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == Self.parent)
        #expect(context.isSampled == isSampled)
    }

    @Test(
        "Anything else is ignored",
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-01-more",
            "00-\(trace)-\(parent)-01.", "cc-\(trace)-\(parent)-01.more", "ff-\(trace)-\(parent)-01",
            "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
            "0G-\(trace)-\(parent)-01",
            "00-\(String(repeating: "0", count: 32))-\(parent)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01",
            "00-\(trace.dropLast())-\(parent)-01", "00_\(trace)_\(parent)_01", "00-\(trace)-\(parent)-+1",
            " 00-\(trace)-\(parent)-01", "00-\(trace.dropLast())é-\(parent)-0", "00-\(trace.dropLast(2))é-\(parent)-01",
        ])
    func ignored(value: String) {
        #expect(TraceContext(value) == nil)
    }

    @Test("Two fields are none, for nobody can tell which one is meant")
    func two() {
        let value = "00-\(Self.trace)-\(Self.parent)-01"
        #expect(TraceContext(HTTPHeaders([("Traceparent", value)])) != nil)
        #expect(TraceContext(HTTPHeaders([("traceparent", value), ("traceparent", value)])) == nil)
        #expect(TraceContext(HTTPHeaders([("tracestate", value)])) == nil)
    }
}
