import Testing

@testable import LoadGenerator

@Suite struct EventScannerTests {
    @Test(
        arguments: [
            (#"{"type":"added","channel":"chat:42","seq":20,"message":"m1","reaction":"👍"}"#, 20),
            (#"{"type":"removed","channel":"chat:42","seq":9007199254740991,"message":"m1"}"#, nil),
            (#"{"type":"removed","channel":"chat:42","seq":900719925474099,"message":"m1"}"#, 900_719_925_474_099),
            (#"{"type":"updated","channel":"chat:42","seq":0,"message":"m1"}"#, 0),
            (#"{"type":"replaced","message":"m1","seq":7,"channel":"chat:42"}"#, 7),
            (#"{"type":"cleared","channel":"chat:42","message":"m1","seq":7}"#, 7),
            (#"{"type":"cleared","channel":"chat:42","seq":24,"groups":[{"reaction":"👎"}]}"#, 24),
            (#"{"type":"added","channel":"a\"seq\":5b","message":"m1","seq":21}"#, 21),
        ] as [(String, UInt64?)])
    func `The seq of a change is read in place`(text: String, seq: UInt64?) {
        #expect(EventScanner.seq(of: Array(text.utf8).span) == seq)
    }

    @Test(arguments: [
        "", "{}", #"{"type":"added"}"#, #"{"type":"ack","id":1,"result":"added","seq":20,"count":3}"#,
        #"{"type":"subscribed","channel":"chat:42","epoch":"e1","seq":19}"#,
        #"{ "type":"added","channel":"chat:42","seq":20,"message":"m1"}"#,
        #"{"type":"added","channel":"chat:42","seq": 20,"message":"m1"}"#,
        #"{"type":"added","channel":"chat:42","data":{"seq":5},"seq":20}"#,
        #"{"type":"adder","channel":"chat:42","seq":20,"message":"m1"}"#,
        #"{"type":"removed","channel":"chat:42","seq":123"#, #"{"type":"removed","channel":"chat:42","seq":"#,
        #"{"type":"removed","channel":"chat:42","seq""#,
    ])
    func `What is no change, or looks unusual, is left to the decoder`(text: String) {
        #expect(EventScanner.seq(of: Array(text.utf8).span) == nil)
    }

    @Test func `Any prefix of an event is safe to look at`() {
        let event = Array(#"{"type":"added","channel":"chat:42","seq":20,"message":"m1","reaction":"x"}"#.utf8)
        for count in event.indices {
            let seq = EventScanner.seq(of: Array(event[..<count]).span)
            #expect(seq == nil || seq == 20)
        }
    }

    @Test(
        arguments: [
            (#"{"n":123,"run":9}"#, 123), (#"{"run":9,"n":123}"#, 123), (#"{"m":1}"#, nil), ("", nil),
            (#"{"n":}"#, nil),
            (#"{"n":"1"}"#, nil),
        ] as [(String, UInt64?)])
    func `A number is read by its name`(text: String, number: UInt64?) {
        #expect(EventScanner.number(named: "n", in: text.utf8) == number)
    }
}
