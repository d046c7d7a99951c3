import Storage
import Transport

// Telling other servers of changes: each queue of the outbox has its sender on one of the hubs.
extension Hub {
    /// Goes on with the webhooks of the settings in force.
    func adoptWebhooks() {
        let settings = settings
        for (name, namespace) in settings.namespaces where home(of: name, among: hubs.count) == index {
            guard let webhook = namespace.outbound?.webhook else { continue }
            sender(of: name).adopt(webhook, isAnonymous: namespace.isAnonymous)
        }
        for (name, sender) in senders where settings.namespaces[name]?.outbound?.webhook == nil {
            sender.adopt(nil, isAnonymous: settings.namespaces[name]?.isAnonymous ?? true)
        }
        for name in store.outbox.queues
        where home(of: name, among: hubs.count) == index && settings.namespaces[name]?.outbound?.webhook == nil {
            log.warning(
                "\(counted(store.outbox.pending(in: name), "event")) of the namespace '\(name)' kept for a webhook, and the settings have none"
            )
        }
    }

    private func sender(of queue: String) -> WebhookSender {
        if let sender = senders[queue] { return sender }
        let inbox = hubs[index]
        let sender = WebhookSender(queue: queue, loop: loop, outbox: store.outbox, epoch: epoch, log: log) {
            inbox.post(.webhook(queue, $0))
        }
        senders[queue] = sender
        return sender
    }

    /// Tells the senders whose queues a commit has put something into.
    func tellSenders(of queues: Set<String>) {
        for queue in queues {
            let home = home(of: queue, among: hubs.count)
            if home == index { senders[queue]?.receive(.grown) } else { hubs[home].post(.webhook(queue, .grown)) }
        }
    }
}
