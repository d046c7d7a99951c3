import Testing

@testable import Broker

@Suite struct NamespaceNamesTests {
    private let channels = ["chat:1", "chat", "chat:", "chats:1", "cha", "cha:t", "live:a:b", ":", "x", "a:b:c"]

    private func settings(_ names: [String]) -> BrokerSettings {
        BrokerSettings(
            namespaces: Dictionary(uniqueKeysWithValues: names.map { ($0, Namespace()) }),
            authenticator: Authenticator(tokens: nil, development: .init()))
    }

    private static let many = (0..<40).map { "n\($0)" }
    private static let sets: [[String]] = [
        [], ["chat"], ["chat", "live"], ["a:b", "cha"], ["*"], ["*", "chat"], many + ["chat"], many + ["*"],
    ]

    @Test("a channel has a namespace by its name's part before the first colon, or by *", arguments: sets)
    func byName(names: [String]) {
        let settings = self.settings(names)
        for channel in channels {
            #expect(settings.hasNamespace(of: channel) == (settings.namespace(of: channel) != nil), "\(channel)")
        }
    }

    @Test("it goes by the namespaces that are in force now")
    func afterChange() {
        var settings = self.settings(["chat"])
        settings.namespaces = ["live": Namespace()]
        #expect(!settings.hasNamespace(of: "chat:1") && settings.hasNamespace(of: "live:1"))
    }
}
