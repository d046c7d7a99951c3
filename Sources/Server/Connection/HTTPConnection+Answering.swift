import Broker
import HTTP
import Reactions
import Synchronization
import Transport
import Wire

extension HTTPConnection {
    /// Answers a request that is there whole.
    func answer(_ exchange: Exchange) {
        switch exchange.endpoint {
        case .ready(let response): finish(response)
        case .page(let page): finish(.page(page, for: exchange.head))
        case .metrics:
            if let refusal = metricsRefusal(for: exchange.head) { return finish(.error(refusal)) }
            wait(
                for: hub.askMetrics(context.memory(of: hub), certificateExpiry: context.certificateExpiry) { [self] in
                    finish(.metrics($0))
                })
        case .status:
            if let refusal = statusRefusal(for: exchange.head) { return finish(.error(refusal)) }
            let isServing = !context.isLeaving.load(ordering: .relaxed)
            wait(
                for: hub.askStatus(context.facts(), context.memory(of: hub), isServing: isServing) { [self] in
                    finish(.reply($0))
                })
        case .settings: finish(statusRefusal(for: exchange.head).map(Response.error) ?? .settings(context.report))
        case .resource(let resource): ask(exchange, resource)
        case .revocation(let user): revoke(user, exchange)
        case .webSocket: break  // became one before
        }
    }

    /// Why who asks may not read what is counted; `nil`: it may.
    private func metricsRefusal(for head: RequestHead) -> RequestRefusal? {
        switch context.access.metrics {
        case .anyone: return nil
        case .loopback:
            return client(of: head).isLocal
                ? nil : RequestRefusal(.forbidden, "metrics are for programs on the broker's own machine")
        case .serverKey:
            let authenticator = hub.settings.authenticator
            return authenticator.isServer(authorization: head.headers["authorization"])
                ? nil : RequestRefusal(.unauthorized, "metrics need 'Authorization: Bearer KEY' with a server key")
        }
    }

    /// Why who asks may not look at the broker; `nil`: it may.
    ///
    /// In development mode all may who show no key, as everyone may be anyone there.
    private func statusRefusal(for head: RequestHead) -> RequestRefusal? {
        let (authenticator, key) = (hub.settings.authenticator, head.headers["authorization"])
        if authenticator.isServer(authorization: key) || (key == nil && authenticator.development != nil) { return nil }
        return RequestRefusal(.unauthorized, "this needs 'Authorization: Bearer KEY' with one of server_keys")
    }

    private func ask(_ exchange: Exchange, _ resource: Resource) {
        let (head, target) = (exchange.head, exchange.target)
        do throws(RequestRefusal) {
            let request = try APIRequest(
                resource: resource, method: head.method == "HEAD" ? "GET" : head.method, target: target,
                headers: head.headers, body: exchange.body.body
            ).request()
            let identity = try identity(head, target)
            if case .subscribe(let subscribe) = request { return follow(subscribe, as: identity, head) }
            wait(
                for: hub.ask(request, as: identity, over: source(of: head)) { [self] in
                    finish(response(to: resource, with: $0, for: head))
                })
        } catch {
            finish(.error(error))
        }
    }

    /// Revokes a user, where a server's key asks for it.
    private func revoke(_ user: String, _ exchange: Exchange) {
        do throws(RequestRefusal) {
            guard Shape.isUser(user) else { throw RequestRefusal(.badRequest, "this is no user's name") }
            let identity = try identity(exchange.head, exchange.target)
            guard identity.isServer else {
                throw RequestRefusal(.forbidden, "only a server's key may revoke: one of server_keys in the settings")
            }
            wait(
                for: hub.revoke(user, by: identity.user, over: source(of: exchange.head)) { [self] reply in
                    switch reply {
                    case .success(let body): finish(.reply(body))
                    case .failure(let refusal): finish(.error(refusal))
                    }
                })
        } catch {
            finish(.error(error))
        }
    }

    private func identity(_ head: RequestHead, _ target: Target) throws(RequestRefusal) -> Identity {
        let identity: Identity?
        do throws(Authenticator.Failure) { identity = try context.identify(head, target) } catch {
            throw RequestRefusal(.unauthorized, error.words)
        }
        guard let identity else {
            throw RequestRefusal(.unauthorized, "say who you are: send 'Authorization: Bearer TOKEN'")
        }
        return identity
    }

    private func response(
        to resource: Resource, with reply: Result<[UInt8], RequestRefusal>, for head: RequestHead
    ) -> Response {
        switch reply {
        case .failure(let refusal): return .error(refusal)
        case .success(let bytes):
            guard resource.kind == .message, head.method != "DELETE" else { return .reply(bytes) }
            let policy = hub.settings.namespace(of: resource.channel)?.rules.policy
            return .document(
                resource.message == "-" ? "" : resource.message, from: bytes, isCounted: policy == .multiple,
                for: head)
        }
    }

    /// Lets the hub take the stream over, as one of Server-Sent Events.
    private func follow(_ subscribe: Request.Subscribe, as identity: Identity, _ head: RequestHead) {
        let client = client(of: head).address
        guard let place = context.admit(client, to: hub, for: head) else {
            return finish(.error(.full), isTold: true)
        }
        var response = Response(status: 200)
        response.headers.append("Content-Type", "text/event-stream")
        response.headers.append("Cache-Control", "no-store")
        response.headers.append("X-Accel-Buffering", "no")
        addCrossOrigin(to: &response.headers, for: head)
        var bytes: [UInt8] = []
        response.appendUnbounded(to: &bytes)
        wait(
            for: hub.follow(
                subscribe, as: identity, on: stream, place: place, head: bytes, omitsBody: head.method == "HEAD",
                trace: TraceContext(head.headers)
            ) {
                [self] in
                finish(.error($0))
            })
    }
}

extension RequestRefusal {
    /// There is no place for another connection.
    static var full: RequestRefusal {
        RequestRefusal(
            .unavailable, "no more connections are taken now; try later",
            retryAfterMilliseconds: Int64.random(in: 1_000...5_000))
    }
}
