import Broker
import Foundation
import HTTP
import Synchronization
import Transport
import Wire

/// What answers at an address.
struct Route {
    enum Endpoint {
        /// An answer that is there already.
        case ready(Response)
        /// A file that is part of the program.
        case page(ServedPage)
        case metrics
        /// What is about, for those who watch the broker.
        case status
        /// The settings in force.
        case settings
        case webSocket
        case resource(Resource)
        /// The end of what a user was let in with.
        case revocation(user: String)
    }

    let endpoint: Endpoint
    /// The methods that it takes, besides `HEAD` for `GET` and `OPTIONS`.
    let methods: [String]

    /// The methods that some address takes.
    static let allMethods = ["GET", "PUT", "POST", "DELETE"]

    /// Finds a path; `nil`: nothing is there.
    init?(_ path: [String], _ context: Context) {
        if let resource = Resource(path) {
            endpoint = .resource(resource)
            methods = resource.methods
            return
        }
        if path.count == 4, path[0] == "v1", path[1] == "users", path[3] == "revoke" {
            endpoint = .revocation(user: path[2])
            methods = ["POST"]
            return
        }
        guard let endpoint = Route.endpoint(at: path, context) else { return nil }
        self.endpoint = endpoint
        methods = ["GET"]
    }

    /// The methods as a field lists them, with those that come by themselves.
    static func list(_ methods: [String]) -> String {
        (methods + (methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"])).joined(separator: ", ")
    }

    func takes(_ method: String) -> Bool {
        methods.contains(method == "HEAD" ? "GET" : method)
    }

    private static func endpoint(at path: [String], _ context: Context) -> Endpoint? {
        switch path {
        case ["v1", "ws"]: return .webSocket
        case ["metrics"]: return .metrics
        case ["v1", "status"]: return .status
        case ["v1", "settings"]: return .settings
        case ["healthz"]: return .ready(.text("ok\n"))
        case ["readyz"]:
            return .ready(context.readiness)
        default:
            if let page = context.pages[path] { return .page(page) }
            return withoutSlash(path, context)
        }
    }

    /// The way to a page behind which a slash was written.
    private static func withoutSlash(_ path: [String], _ context: Context) -> Endpoint? {
        guard path.last == "", let name = path.dropLast().last, context.pages[Array(path.dropLast())] != nil else {
            return nil
        }
        var response = Response(status: 308)
        // Not from the root on: a proxy may have this broker below a path of its own.
        response.headers.append("Location", "../\(name)")
        return .ready(response)
    }
}

extension Context {
    /// What `/readyz` answers: whether the broker can serve.
    fileprivate var readiness: Response {
        if isLeaving.load(ordering: .relaxed) {
            return .error(RequestRefusal(.unavailable, "the broker is stopping"))
        }
        if let fault = broker.storeHealth.fault(at: .now) { return .error(RequestRefusal(.unavailable, fault)) }
        return .text("ready\n")
    }
}

extension Response {
    fileprivate static func text(_ text: String) -> Response {
        var response = Response(status: 200, body: Array(text.utf8))
        response.headers.append("Content-Type", "text/plain; charset=utf-8")
        return response
    }

    /// The settings in force, as JSON.
    static func settings(_ rows: [SettingRow]) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // They are texts, so they can be encoded.
        return .reply((try? encoder.encode(["settings": rows])).map(Array.init) ?? [])
    }

    /// What a hub has counted, as Prometheus reads it.
    static func metrics(_ text: [UInt8]) -> Response {
        var response = Response(status: 200, body: text)
        response.headers.append("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        return response
    }
}
