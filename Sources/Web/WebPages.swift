/// The files that a broker serves to browsers; they are part of the program.
public enum WebPages {
    /// A file's bytes and its media type.
    public struct Page: Sendable {
        /// The media type, as `Content-Type` has it.
        public let type: String
        /// The file.
        public let bytes: [UInt8]
    }

    /// The demo page.
    public static var index: Page { Page(type: "text/html; charset=utf-8", bytes: PackageResources.index_html) }

    /// A module of the browser kit, `/kit/NAME`.
    public static func kit(_ name: String) -> Page? {
        let bytes: [UInt8]? =
            switch name {
            case "fanfare.js": PackageResources.fanfare_js
            case "channel.js": PackageResources.channel_js
            case "state.js": PackageResources.state_js
            case "message.js": PackageResources.message_js
            case "changes.js": PackageResources.changes_js
            case "hub.js": PackageResources.hub_js
            case "tabs.js": PackageResources.tabs_js
            case "connection.js": PackageResources.connection_js
            case "fallback.js": PackageResources.fallback_js
            case "components.js": PackageResources.components_js
            case "element.js": PackageResources.element_js
            case "bubble.js": PackageResources.bubble_js
            case "badges.js": PackageResources.badges_js
            case "picker.js": PackageResources.picker_js
            case "overview.js": PackageResources.overview_js
            case "burst.js": PackageResources.burst_js
            case "emoji-search.js": PackageResources.emoji_search_js
            case "emoji-names.js": PackageResources.emoji_names_js
            default: nil
            }
        return bytes.map { Page(type: "text/javascript; charset=utf-8", bytes: $0) }
    }

    /// The names of the documents for machines, which tell the wire contract.
    public static let documentNames = ["openapi.json", "asyncapi.json", "schemas.json"]

    /// A document of a name.
    public static func document(_ name: String) -> Page? {
        switch name {
        case "openapi.json": Page(type: "application/json", bytes: PackageResources.openapi_json)
        case "asyncapi.json": Page(type: "application/json", bytes: PackageResources.asyncapi_json)
        case "schemas.json": Page(type: "application/json", bytes: PackageResources.schemas_json)
        default: nil
        }
    }
}
