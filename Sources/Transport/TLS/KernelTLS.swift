internal import COpenSSL
internal import Glibc

/// Encryption by the kernel.
public enum KernelTLS {
    /// Why there is none here; nil where there is.
    ///
    /// A system call or two, and perhaps the loading of a kernel module: ask once.
    public static var absence: String? {
        guard copenssl_has_kernel_tls() == 1 else { return "this OpenSSL was built without kernel TLS" }
        // <linux/tcp.h>: TCP_ULP. A socket that is not connected refuses it (ENOTCONN); a kernel without TLS does not
        // know the name (ENOENT).
        let upperLayerProtocol: CInt = 31
        let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return "it could not be asked" }
        defer { _ = close(number) }
        let name: StaticString = "tls"
        let result = unsafe setsockopt(
            number, CInt(IPPROTO_TCP), upperLayerProtocol, name.utf8Start, socklen_t(name.utf8CodeUnitCount))
        return result == 0 || errno == ENOTCONN ? nil : "the kernel has no TLS (module tls)"
    }
}
