/*
 * OpenSSL's libcrypto, found when the program runs: no header of OpenSSL is needed to build, and a machine without
 * it gets a message instead of a program that does not start.
 *
 * Source of the declarations: the manual pages EVP_EncryptInit(3), EVP_CIPHER_fetch(3), OpenSSL_version(3) and
 * ERR_get_error(3) of OpenSSL 1.1 and 3.
 */
#ifndef CIPHERMARK_LIBCRYPTO_H
#define CIPHERMARK_LIBCRYPTO_H

#include <stddef.h>

/* Overrides the names searched, for another build of OpenSSL: a path, or a name the dynamic linker finds. */
#define LIBCRYPTO_VARIABLE "CIPHERMARK_LIBCRYPTO"

/* EVP counts in int; more is given to it in pieces. A multiple of every cipher's block. */
#define LIBCRYPTO_PIECE_BYTES ((size_t)1 << 30)

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;

struct libcrypto {
    EVP_CIPHER_CTX *(*EVP_CIPHER_CTX_new)(void);
    void (*EVP_CIPHER_CTX_free)(EVP_CIPHER_CTX *context);
    int (*EVP_CIPHER_CTX_set_padding)(EVP_CIPHER_CTX *context, int padding);
    const EVP_CIPHER *(*EVP_get_cipherbyname)(const char *name);
    /* `engine` is an ENGINE and always NULL here; `encrypt` is 1, 0, or -1 for "as before". */
    int (*EVP_CipherInit_ex)(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, void *engine, const unsigned char *key,
                             const unsigned char *iv, int encrypt);
    int (*EVP_CipherUpdate)(EVP_CIPHER_CTX *context, unsigned char *out, int *out_bytes, const unsigned char *in,
                            int bytes);
    const char *(*OpenSSL_version)(int what);
    unsigned long (*ERR_get_error)(void);
    void (*ERR_error_string_n)(unsigned long error, char *text, size_t bytes);
    /* NULL before OpenSSL 3.0. */
    EVP_CIPHER *(*EVP_CIPHER_fetch)(void *library_context, const char *algorithm, const char *properties);
    const char *(*OPENSSL_info)(int what);
};

/* The functions, after libcrypto_open() returned NULL. */
extern struct libcrypto libcrypto;

/* Finds the library; NULL, or in one line why not and what mends it. Does nothing the second time. */
const char *libcrypto_open(void);

/*
 * The version, what the library found in the CPU and with `aes` whether it uses AES instructions, where it tells; and
 * the file it is from.
 */
const char *libcrypto_described(int aes);

/* A new context for a cipher by its name ("AES-128-CBC"), without padding; its key is still to be set. */
EVP_CIPHER_CTX *libcrypto_context(const char *cipher);

/* Sets what is not NULL of `key` and `iv`. */
void libcrypto_set(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *iv, int encrypt);

/* All of `bytes`, whatever they are; `out` and `in` may be equal. */
void libcrypto_update(EVP_CIPHER_CTX *context, unsigned char *out, const unsigned char *in, size_t bytes);

#endif
