import Storage
import Transport
import Wire

// The end of what a user was let in with.
extension Hub {
    /// Revokes what a user has, in the name of `moderator`; `reply` gets the answer's JSON, or the refusal.
    ///
    /// When it is answered the store has it, no token issued before is taken any more, and the user's connections are on
    /// their way out. Called on the hub's loop; the reply comes there too.
    public nonisolated func revoke(
        _ user: String, by moderator: String, over exchange: HTTPExchange? = nil,
        reply: @escaping (Result<[UInt8], RequestRefusal>) -> Void
    ) -> PendingReply {
        let pending = PendingReply()
        enter(with: (pending, reply)) { hub, asking in
            guard !hub.isDraining else { return asking.1(.failure(.stopping)) }
            // All brokers go by its time, for good.
            if let fault = hub.health.logClock?.fault(at: hub.moment) {
                return asking.1(.failure(RequestRefusal(.unavailable, fault + "; nothing was revoked")))
            }
            let key = hub.recipients.reserve(on: hub.index)
            let recipient = SingleRequest(
                session: Session(key: key, identity: nil), hub: hub, exchange: exchange, reply: asking.1)
            asking.0.recipient = recipient
            hub.recipients[key] = recipient
            let revocation = Revocation(user: user, at: hub.now, by: moderator)
            let inbox = hub.hubs[hub.index]
            let (store, log) = (hub.store, hub.log)
            guard let sharedLog = hub.sharedLog else {
                return store.revoke(revocation) { inbox.post(.revoked(revocation, $0, for: key)) }
            }
            sharedLog.revoke(revocation) { result in
                inbox.post(.revoked(revocation, result, for: key))
                guard case .success = result else { return }
                store.revoke(revocation) { kept in
                    if case .failure(let error) = kept { log.error("the audit lacks a revocation: \(error.reason)") }
                }
            }
        }
        return pending
    }

    /// What the store has kept is in force from here on: for whoever comes first, then for those who are there.
    func revoked(_ revocation: Revocation, _ result: Result<Void, StoreError>, for key: ConnectionKey) {
        let request = recipients[key] as? SingleRequest
        switch result {
        case .success:
            settings.authenticator.revocations?.add(revocation)
            for hub in hubs { hub.post(.sendAway(revocation)) }
            var body: [UInt8] = []
            RevocationBody(user: revocation.user, revokedBefore: revocation.at).append(to: &body)
            log.info("a user was revoked by \(revocation.by)", trace: request?.trace)
            request?.finish(with: .success(body))
        case .failure(let error):
            log.error("the store could not keep a revocation: \(error.reason)", trace: request?.trace)
            let words = "the store cannot take it now; nothing was revoked"
            request?.finish(with: .failure(RequestRefusal(.unavailable, words)))
        }
    }

    /// Ends the user's connections and streams, save those whose token is newer.
    func sendAway(_ revocation: Revocation) {
        for recipient in recipients.elements {
            guard let identity = recipient.session.identity, identity.user == revocation.user,
                identity.issued <= revocation.at
            else { continue }
            recipient.close(code: 4003, reason: "revoked", retryAfterMilliseconds: nil)
        }
    }
}
