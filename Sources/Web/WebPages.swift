/// The files that a broker serves to browsers; they are part of the program.
public enum WebPages {
    /// A file's bytes and its media type.
    public struct Page: Sendable {
        /// The media type, as `Content-Type` has it.
        public let type: String
        /// The file.
        public let bytes: [UInt8]
    }

    /// The file of a name; the empty name is the demo page.
    public static func page(_ name: String) -> Page? {
        switch name {
        case "": Page(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
        case "fanfare.js": Page(type: "text/javascript; charset=utf-8", bytes: PackageResources.fanfare_js)
        default: nil
        }
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
