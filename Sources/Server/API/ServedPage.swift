import Broker
import HTTP
import Web

/// A file that is part of the program, in the forms in which it is sent, with the tag of each.
struct ServedPage: Sendable {
    /// A body and its entity tag, which no other body has.
    struct Form: Sendable {
        let body: [UInt8]
        let tag: String
    }

    /// The media type, as `Content-Type` has it.
    let type: String
    /// Whether no other page may show it in itself, nor be told of it.
    let isPrivate: Bool
    /// The file as it is.
    let plain: Form
    /// The file in gzip; `nil` where it would be no shorter.
    let gzip: Form?

    /// All files by the parts of their paths, compressed when they are asked for first.
    static let all = WebPages.all.mapValues(ServedPage.init)

    init(_ page: WebPages.Page) {
        type = page.type
        isPrivate = page.isPrivate
        let tag = EntityTag.of(page.bytes)
        plain = Form(body: page.bytes, tag: "\"\(tag)\"")
        gzip = Gzip.compressed(page.bytes.span).map { Form(body: $0, tag: "\"\(tag)-gzip\"") }
    }
}

/// The opaque part of entity tags.
enum EntityTag {
    /// A word for a body, the same in every run of the program.
    static func of(_ body: [UInt8]) -> String {
        var hash = StableHash()
        hash.combine(body.span)
        return String(hash.value, radix: 36)
    }
}
