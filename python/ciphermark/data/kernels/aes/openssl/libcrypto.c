/*
 * Loading libcrypto and calling it with every result checked; see libcrypto.h.
 */
#define _GNU_SOURCE
#include "libcrypto.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

/* OPENSSL_INFO_CPU_SETTINGS of <openssl/crypto.h>. */
#define INFO_CPU_SETTINGS 1008

struct libcrypto libcrypto;

static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1", "libcrypto.so"};

static void *library;
static char message[512];

static void *open_library(void)
{
    const char *wanted = getenv(LIBCRYPTO_VARIABLE);
    void *found = NULL;

    if (wanted && *wanted) {
        found = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        if (!found)
            snprintf(message, sizeof message, "%s, which %s names, cannot be loaded (%s); correct or unset it", wanted,
                     LIBCRYPTO_VARIABLE, dlerror());
        return found;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!found)
        snprintf(message, sizeof message,
                 "libcrypto not found (%s); install libssl3 (Debian, Ubuntu) or openssl-libs (Fedora), or name its "
                 "file in %s",
                 dlerror(), LIBCRYPTO_VARIABLE);
    return found;
}

static int find(void *opened, void *function, const char *name, int required)
{
    void *symbol = dlsym(opened, name);

    if (!symbol && required) {
        snprintf(message, sizeof message, "the libcrypto found has no %s; OpenSSL 1.1 or later is needed", name);
        return 0;
    }
    *(void **)function = symbol; /* POSIX: dlsym's result converts to a function pointer */
    return 1;
}

#define REQUIRED(name) find(opened, &libcrypto.name, #name, 1)
#define OPTIONAL(name) find(opened, &libcrypto.name, #name, 0)

const char *libcrypto_open(void)
{
    if (library)
        return NULL;
#ifndef __GLIBC__
    /* musl's dlopen is a stub in static programs, and only those are built with it. */
    return "a static program can load no library, so not libcrypto; use the engine host";
#endif
    void *opened = open_library();
    if (!opened)
        return message;
    if (!(REQUIRED(EVP_CIPHER_CTX_new) && REQUIRED(EVP_CIPHER_CTX_free) && REQUIRED(EVP_CIPHER_CTX_set_padding) &&
          REQUIRED(EVP_get_cipherbyname) && REQUIRED(EVP_CipherInit_ex) && REQUIRED(EVP_CipherUpdate) &&
          REQUIRED(OpenSSL_version) && REQUIRED(ERR_get_error) && REQUIRED(ERR_error_string_n) &&
          OPTIONAL(EVP_CIPHER_fetch) && OPTIONAL(OPENSSL_info))) {
        dlclose(opened);
        return message;
    }
    library = opened;
    return NULL;
}

/*
 * What the library found in the CPU, less what the environment masked (OPENSSL_ia32cap): "CPUINFO:
 * OPENSSL_ia32cap=0x7ed8320b078bffff:0x...", Arm's OPENSSL_armcap likewise. Bits: OPENSSL_ia32cap(3), where AES is bit
 * 25 of the second word of CPUID leaf 1; ARMV8_AES is bit 2.
 */
static const char *aes_instructions(const char *settings)
{
    static const struct {
        const char *variable;
        unsigned bit;
    } architectures[] = {{"OPENSSL_ia32cap=", 32 + 25}, {"OPENSSL_armcap=", 2}};

    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        const char *at = strstr(settings, architectures[i].variable);
        if (!at)
            continue;
        unsigned long long capabilities = strtoull(at + strlen(architectures[i].variable), NULL, 0);
        return capabilities >> architectures[i].bit & 1 ? "with AES instructions" : "without AES instructions";
    }
    return NULL;
}

/* The file that the library was loaded from, as the dynamic linker names it. */
static const char *file_name(void)
{
    Dl_info found;
    void *function = *(void **)&libcrypto.OpenSSL_version; /* POSIX, as in find() */

    return dladdr(function, &found) && found.dli_fname ? found.dli_fname : "an unknown file";
}

const char *libcrypto_described(int aes)
{
    static char text[480];
    const char *settings = libcrypto.OPENSSL_info ? libcrypto.OPENSSL_info(INFO_CPU_SETTINGS) : NULL;
    const char *instructions = settings && aes ? aes_instructions(settings) : NULL;

    snprintf(text, sizeof text, "%s%s%s%s%s%s, from %s", libcrypto.OpenSSL_version(0), instructions ? ", " : "",
             instructions ? instructions : "", settings ? " (" : "", settings ? settings : "", settings ? ")" : "",
             file_name());
    return text;
}

static void fail(const char *function)
{
    char reason[256] = "no reason given";
    unsigned long error = libcrypto.ERR_get_error();

    if (error)
        libcrypto.ERR_error_string_n(error, reason, sizeof reason);
    ciphermark_fail("%s failed: %s", function, reason);
}

EVP_CIPHER_CTX *libcrypto_context(const char *name)
{
    const char *unavailable = libcrypto_open();
    if (unavailable)
        ciphermark_fail("%s", unavailable);

    const EVP_CIPHER *cipher = libcrypto.EVP_CIPHER_fetch ? libcrypto.EVP_CIPHER_fetch(NULL, name, NULL)
                                                          : libcrypto.EVP_get_cipherbyname(name);
    if (!cipher)
        ciphermark_fail("this libcrypto (%s) has no cipher %s", libcrypto.OpenSSL_version(0), name);
    EVP_CIPHER_CTX *context = libcrypto.EVP_CIPHER_CTX_new();
    if (!context)
        fail("EVP_CIPHER_CTX_new");
    if (libcrypto.EVP_CipherInit_ex(context, cipher, NULL, NULL, NULL, 1) != 1)
        fail("EVP_CipherInit_ex");
    if (libcrypto.EVP_CIPHER_CTX_set_padding(context, 0) != 1)
        fail("EVP_CIPHER_CTX_set_padding");
    return context;
}

void libcrypto_set(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *iv, int encrypt)
{
    if (libcrypto.EVP_CipherInit_ex(context, NULL, NULL, key, iv, encrypt) != 1)
        fail("EVP_CipherInit_ex");
}

void libcrypto_update(EVP_CIPHER_CTX *context, unsigned char *out, const unsigned char *in, size_t bytes)
{
    while (bytes > 0) {
        size_t piece = bytes < LIBCRYPTO_PIECE_BYTES ? bytes : LIBCRYPTO_PIECE_BYTES;
        int done = 0;

        if (libcrypto.EVP_CipherUpdate(context, out, &done, in, (int)piece) != 1)
            fail("EVP_CipherUpdate");
        if ((size_t)done != piece)
            ciphermark_fail("EVP_CipherUpdate wrote %d of %zu bytes", done, piece);
        out += piece;
        in += piece;
        bytes -= piece;
    }
}
