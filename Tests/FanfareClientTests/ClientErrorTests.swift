import FanfareClient
import Testing

@Suite("A client's error")
struct ClientErrorTests {
    @Test("has a kind that prints as it is written, and a line for a person")
    func prints() {
        #expect("\(ClientError.Code.tooManyRequests)" == "tooManyRequests")
        #expect("\(ClientError(.timedOut, "no answer").code)" == "timedOut")
        #expect("\(ClientError(.timedOut, "no answer"))" == "no answer")
    }
}
