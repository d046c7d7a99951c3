#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What OpenSSL gives as macros, which Swift does not see.

static const uint64_t copenssl_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t copenssl_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t copenssl_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t copenssl_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t copenssl_ENABLE_KTLS = SSL_OP_ENABLE_KTLS;

/// Whether this OpenSSL can hand a connection's encryption to the kernel.
static inline int copenssl_has_kernel_tls(void) {
#ifdef OPENSSL_NO_KTLS
    return 0;
#else
    return 1;
#endif
}

static inline int copenssl_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

static inline void copenssl_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void copenssl_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void copenssl_set_read_ahead(SSL_CTX *context, int on) {
    SSL_CTX_set_read_ahead(context, on);
}

static inline int copenssl_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void copenssl_set_server_name_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}

static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// The reason in an error code, as `SSL_R_...`.
static inline int copenssl_reason(unsigned long error) {
    return ERR_GET_REASON(error);
}

// MARK: What one call may take

/// What is seen of a session's reading: OpenSSL goes on inside one call for as long as records come that carry no data.
typedef struct {
    /// How often the call under way may still read from the socket.
    int reads_left;
    /// How many records came that carry no application data.
    unsigned control_records;
    /// What the peer's bytes begin with, as far as the first read brought it.
    unsigned char first_bytes[8];
    /// How many of them there are.
    int first_count;
} copenssl_watch;

/// Sees reads from the socket; one too many goes as if nothing had come.
static inline long copenssl_see_read(
    BIO *bio, int operation, const char *bytes, size_t length, int number, long argument, int result,
    size_t *processed) {
    copenssl_watch *watch = (copenssl_watch *)BIO_get_callback_arg(bio);
    if (operation == BIO_CB_READ && watch->reads_left-- <= 0) {
        BIO_clear_retry_flags(bio);
        BIO_set_retry_read(bio);
        return -1;
    }
    if (operation == (BIO_CB_READ | BIO_CB_RETURN) && watch->first_count == 0 && result > 0 && processed) {
        while (watch->first_count < 8 && (size_t)watch->first_count < *processed) {
            watch->first_bytes[watch->first_count] = (unsigned char)bytes[watch->first_count];
            watch->first_count++;
        }
    }
    return result;
}

/// Counts records by their type, which TLS 1.3 encrypts.
static inline void copenssl_see_record(
    int is_written, int version, int kind, const void *bytes, size_t length, SSL *session, void *argument) {
    if (is_written || length == 0 || (kind != SSL3_RT_HEADER && kind != SSL3_RT_INNER_CONTENT_TYPE)) return;
    if (*(const unsigned char *)bytes != SSL3_RT_APPLICATION_DATA) ((copenssl_watch *)argument)->control_records++;
}

/// Has what a session reads seen to; its socket is set, and `watch` outlives it.
static inline void copenssl_watch_reading(SSL *session, copenssl_watch *watch) {
    BIO *bio = SSL_get_rbio(session);
    BIO_set_callback_arg(bio, (char *)watch);
    BIO_set_callback_ex(bio, copenssl_see_read);
    SSL_set_msg_callback(session, copenssl_see_record);
    SSL_set_msg_callback_arg(session, watch);
}

// MARK: Names of a certificate

static inline GENERAL_NAMES *copenssl_alternative_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int copenssl_name_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}

/// The n-th name, if it is a DNS name, else NULL.
static inline const ASN1_STRING *copenssl_dns_name(const GENERAL_NAMES *names, int index) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    return name && name->type == GEN_DNS ? name->d.dNSName : NULL;
}

// MARK: Session tickets (RFC 5077 section 4)

/// Prepares the sealing (1) or the opening (0) of a ticket by AES-256-CBC and HMAC-SHA256; 1 where that went well.
static inline int copenssl_prepare_ticket(
    EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *cipher_key, unsigned char *mac_key,
    size_t mac_key_length, const unsigned char *iv, int seals) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key, mac_key_length),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, iv, seals) == 1 &&
           EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

#endif
