// The door to OpenSSL 3: https://www.openssl.org/docs/man3.0/
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// What Swift cannot import: variadic functions and function-like macros.

// EVP_EC_gen and EVP_RSA_gen are macros over the variadic EVP_PKEY_Q_keygen.
static inline EVP_PKEY *sineta_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *sineta_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

// BIO_get_mem_data is a macro over BIO_ctrl.
static inline long sineta_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

// X509V3_set_ctx_nodb is a macro; without it a context may read a configuration that is not there.
static inline X509_EXTENSION *sineta_x509_extension(
    X509 *issuer, X509 *subject, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    X509V3_set_ctx_nodb(&context);
    return X509V3_EXT_conf_nid(NULL, &context, nid, value);
}

// TLS: these are macros over SSL_ctrl(3) and SSL_CTX_ctrl(3), which Swift does not import.
static inline long sineta_ssl_set_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}
static inline long sineta_ssl_ctx_set_min_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
// A short write is progress, and the rest may move in memory before it is tried again.
static inline long sineta_ssl_ctx_set_stream_modes(SSL_CTX *context) {
    return SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
static inline long sineta_ssl_ctx_set_read_ahead(SSL_CTX *context) {
    return SSL_CTX_set_read_ahead(context, 1);
}
// Takes over the certificate when it succeeds.
static inline long sineta_ssl_ctx_add_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add_extra_chain_cert(context, certificate);
}
