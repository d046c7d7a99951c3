import Foundation

/// What chat libraries for SwiftUI have, as far as reactions go.
enum ChatLibrary {
    struct User: Equatable {
        var id: String
        var name: String
    }

    struct Message {
        var id: String
    }

    enum ReactionType: Equatable {
        case emoji(String)

        var text: String {
            switch self {
            case .emoji(let text): text
            }
        }
    }

    struct DraftReaction: Equatable {
        var id: String
        var messageID: String
        var createdAt: Date
        var type: ReactionType
    }

    struct Reaction: Equatable {
        enum Status: Equatable {
            case sending, sent, error(DraftReaction)
        }

        var id: String
        var user: User
        var createdAt: Date
        var type: ReactionType
        var status: Status
    }

    @MainActor
    protocol ReactionDelegate {
        func didReact(to message: Message, reaction: DraftReaction)
        func canReact(to message: Message) -> Bool
        func reactions(for message: Message) -> [ReactionType]?
        func allowEmojiSearch(for message: Message) -> Bool
        func shouldShowOverview(for message: Message) -> Bool
    }
}

/// An app's own server.
struct AppServer {
    func get(_ path: String) async throws -> (Data, Int) { (Data(path.utf8), 200) }
}
