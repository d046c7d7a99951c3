#if canImport(SwiftUI)
import FanfareClient
import SwiftUI

// The views of the documentation, compiled where there is SwiftUI, and parsed everywhere.

struct Badges: View {
    let message: MessageReactions

    var body: some View {
        let badges = message.badges()
        HStack {
            ForEach(badges.shown) { group in
                Button("\(group.type) \(group.count)") { message.toggle(group.type) }
                    .opacity(group.status == .sending ? 0.5 : 1)
                    .tint(group.status.isFailed ? .red : group.isOwn ? .accentColor : .gray)
            }
            if let overflow = badges.overflow {
                Text(overflow).foregroundStyle(badges.hidesOwn ? Color.accentColor : .secondary)
            }
        }
    }
}

struct Bar: View {
    let message: MessageReactions

    var body: some View {
        HStack {
            ForEach(Array(message.choices.enumerated()), id: \.element) { index, type in
                Button(type.text) { message.toggle(type) }
                    .transition(.scale.animation(.bouncy.delay(PopIn.delay(at: index))))
            }
        }
        .disabled(!message.canReact)
    }
}

struct ConnectionBanner: View {
    let channel: ChannelReactions

    var body: some View {
        switch channel.connection {
        case .closed(let reason): Text("No reactions: \(reason.description)")
        case .waiting,
            .connecting where channel.isReady:
            Text("Reconnecting…")
        default: Text(channel.failure?.message ?? "")
        }
    }
}
#endif
