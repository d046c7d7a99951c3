internal import COpenSSL
internal import Glibc

// @safe: the pointer is valid as long as the object.
// @unchecked: OpenSSL counts references atomically, and nothing changes a certificate that is read.
/// The owner of a certificate (RFC 5280).
@safe
final class X509Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes a certificate over.
    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// The DNS names among its alternative names (section 4.2.1.6), in lower case.
    var dnsNames: [String] {
        guard let names = unsafe copenssl_alternative_names(pointer) else { return [] }
        defer { unsafe GENERAL_NAMES_free(names) }
        var found: [String] = []
        for index in 0..<max(0, unsafe copenssl_name_count(names)) {
            guard let name = unsafe copenssl_dns_name(names, index), let data = unsafe ASN1_STRING_get0_data(name)
            else { continue }
            let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(name)))
            unsafe found.append(String(decoding: bytes, as: UTF8.self).lowercased())
        }
        return found
    }

    /// Whether it may vouch for others (sections 4.2.1.3 and 4.2.1.9).
    var isAuthority: Bool { unsafe X509_check_ca(pointer) != 0 }

    /// What is wrong with its dates now, `expired on 2026-11-30`, or will be soon; nil where nothing is.
    var dateComplaint: String? {
        if unsafe X509_cmp_current_time(X509_get0_notAfter(pointer)) < 0 {
            return "expired on \(unsafe Self.day(of: X509_get0_notAfter(pointer)))"
        }
        if unsafe X509_cmp_current_time(X509_get0_notBefore(pointer)) > 0 {
            return "is not valid before \(unsafe Self.day(of: X509_get0_notBefore(pointer)))"
        }
        if let expiry, expiry - Int64(time(nil)) < Int64(Self.warningDays) * 86_400 {
            return
                "expires on \(unsafe Self.day(of: X509_get0_notAfter(pointer))), in less than \(Self.warningDays) days"
        }
        return nil
    }

    /// How long before its end a certificate is warned of, in days.
    static let warningDays = 14

    /// When it ends, in seconds since 1970; `nil` where it does not say so in a form that is known.
    var expiry: Int64? {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(pointer), &parts) == 1 else { return nil }
        return unsafe Int64(timegm(&parts))
    }

    private static func day(of time: UnsafePointer<ASN1_TIME>?) -> String {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unknown day" }
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, parts.tm_mon + 1, parts.tm_mday)
        func padded(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(padded(month))-\(padded(day))"
    }
}
