/// The files that a broker serves to browsers and to programs; they are part of the program.
public enum WebPages {
    /// A file's bytes and its media type.
    public struct Page: Sendable {
        /// The media type, as `Content-Type` has it.
        public let type: String
        /// The file.
        public let bytes: [UInt8]
        /// Whether no other page may show it in itself, nor be told of it.
        public var isPrivate = false
    }

    /// All of them, by the parts of the path at which they are served.
    ///
    /// They are the demo page, the dashboard, the browser kit as `scripts/kit` makes it, and the documents that tell the
    /// wire contract to machines.
    public static let all: [[String]: Page] = [
        []: Page(type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        ["kit", "fanfare.js"]: script(PackageResources.fanfare_js),
        ["kit", "components.js"]: script(PackageResources.components_js),
        ["kit", "overview.js"]: script(PackageResources.overview_js),
        ["kit", "emoji-search.js"]: script(PackageResources.emoji_search_js),
        ["kit", "fallback.js"]: script(PackageResources.fallback_js),
        ["kit", "fanfare.d.ts"]: declarations(PackageResources.fanfare_d_ts),
        ["kit", "components.d.ts"]: declarations(PackageResources.components_d_ts),
        ["kit", "overview.d.ts"]: declarations(PackageResources.overview_d_ts),
        ["dashboard"]: Page(
            type: "text/html; charset=utf-8", bytes: PackageResources.dashboard_html, isPrivate: true),
        ["dashboard", "dashboard.css"]: Page(type: "text/css; charset=utf-8", bytes: PackageResources.dashboard_css),
        ["dashboard", "dashboard.js"]: script(PackageResources.dashboard_js),
        ["dashboard", "dashboard-chart.js"]: script(PackageResources.dashboard_chart_js),
        ["dashboard", "dashboard-figures.js"]: script(PackageResources.dashboard_figures_js),
        ["dashboard", "dashboard-tail.js"]: script(PackageResources.dashboard_tail_js),
        ["v1", "openapi.json"]: document(PackageResources.openapi_json),
        ["v1", "asyncapi.json"]: document(PackageResources.asyncapi_json),
        ["v1", "schemas.json"]: document(PackageResources.schemas_json),
    ]

    private static func script(_ bytes: [UInt8]) -> Page {
        Page(type: "text/javascript; charset=utf-8", bytes: bytes)
    }

    private static func declarations(_ bytes: [UInt8]) -> Page {
        Page(type: "text/plain; charset=utf-8", bytes: bytes)
    }

    private static func document(_ bytes: [UInt8]) -> Page {
        Page(type: "application/json", bytes: bytes)
    }
}
