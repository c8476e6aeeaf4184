/*
 * AES by OpenSSL's EVP interface: the functions of aes.h.
 *
 * A call whose iv or counter is the one that the last call on that schedule left behind goes on in the same context;
 * any other sets the iv first. So a message handed over in parts costs what it costs a user of EVP.
 *
 * Source: EVP_EncryptInit(3). Contract: aes.h. Constant time: as the library is on the machine; it is with AES or
 * SSSE3 instructions on x86-64, and with AES instructions or NEON on AArch64.
 */
#include <string.h>

#include "contexts.h"
#include "native.h"

static void ecb(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk)
{
    libcrypto_update(context_for(rk, MODE_ECB)->evp, out, in, bytes);
}

static struct context *positioned(const struct held_key *key, enum mode mode, const uint8_t *iv)
{
    struct context *context = context_for(key, mode);

    if (!context->continues || memcmp(context->iv, iv, AES_BLOCK_BYTES))
        libcrypto_set(context->evp, NULL, iv, -1);
    return context;
}

static void leave(struct context *context, uint8_t *iv, const uint8_t *next, int continues)
{
    memcpy(context->iv, next, AES_BLOCK_BYTES);
    context->continues = continues;
    memcpy(iv, next, AES_BLOCK_BYTES);
}

static void cbc(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const struct held_key *key)
{
    uint8_t last[AES_BLOCK_BYTES];

    if (bytes == 0)
        return;
    struct context *context = positioned(key, MODE_CBC, iv);
    if (!key->encrypts)
        memcpy(last, in + bytes - AES_BLOCK_BYTES, AES_BLOCK_BYTES); /* `out` may be `in` */
    libcrypto_update(context->evp, out, in, bytes);
    leave(context, iv, key->encrypts ? out + bytes - AES_BLOCK_BYTES : last, 1);
}

static void ctr(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const struct held_key *key)
{
    uint8_t next[AES_BLOCK_BYTES];

    if (bytes == 0)
        return;
    struct context *context = positioned(key, MODE_CTR, counter);
    libcrypto_update(context->evp, out, in, bytes);
    memcpy(next, counter, AES_BLOCK_BYTES);
    add_blocks(next, (bytes + AES_BLOCK_BYTES - 1) / AES_BLOCK_BYTES);
    /* Behind a partial block EVP would go on inside of it. */
    leave(context, counter, next, bytes % AES_BLOCK_BYTES == 0);
}

#define ENTRY_POINTS(N) \
    void aes_##N##_expand_key(void *rk, const uint8_t *key) { hold_key(rk, key, N, 1); } \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key) { hold_key(rk, key, N, 0); } \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) { ecb(out, in, AES_BLOCK_BYTES, rk); } \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { ecb(out, in, AES_BLOCK_BYTES, rk); } \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk); } \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk); } \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc(out, in, bytes, iv, rk); } \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc(out, in, bytes, iv, rk); } \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { ctr(out, in, bytes, counter, rk); }

ENTRY_POINTS(128)
ENTRY_POINTS(192)
ENTRY_POINTS(256)

const char *ciphermark_unavailable(void)
{
    return libcrypto_open();
}

const char *ciphermark_described(void)
{
    return libcrypto_described(1);
}
