/// The names of namespaces, for a look at a channel's name with nothing made of it: it comes with every request.
struct NamespaceNames: Sendable {
    private var names: [String] = []
    private var hasEverything = false
    private var areFew = true

    /// As many as are compared one by one; of more, a dictionary is faster.
    private static let most = 16

    init(_ namespaces: [String: Namespace]) {
        hasEverything = namespaces["*"] != nil
        areFew = namespaces.count <= NamespaceNames.most
        // A name with a colon is no channel's.
        if areFew { names = namespaces.keys.filter { !$0.utf8.contains(UInt8(ascii: ":")) } }
    }

    /// Whether one of them is a channel's; `nil`: they are too many to say so here.
    func haveNamespace(of channel: String) -> Bool? {
        if hasEverything { return true }
        guard areFew else { return nil }
        let channel = channel.utf8.span
        for name in names where NamespaceNames.stands(name.utf8.span, before: channel) { return true }
        return false
    }

    /// Whether a channel's name is this one, or goes on with a colon after it.
    private static func stands(_ name: Span<UInt8>, before channel: Span<UInt8>) -> Bool {
        guard name.count <= channel.count else { return false }
        guard name.count == channel.count || channel[name.count] == UInt8(ascii: ":") else { return false }
        for index in name.indices where name[index] != channel[index] { return false }
        return true
    }
}
