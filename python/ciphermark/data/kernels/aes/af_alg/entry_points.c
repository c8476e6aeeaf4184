/*
 * AES by AF_ALG: the functions of aes.h, for any transport.
 *
 * Contract: aes.h. The iv or counter left behind is computed here, not asked of the kernel, which has no way to tell
 * it. Constant time: as the kernel's driver is.
 */
#include <linux/if_alg.h>
#include <string.h>

#include "af_alg.h"
#include "native.h"

/* Whether the kernel's own chaining value is `iv`, so that a message can go on without a start. */
static int goes_on(const struct alg_socket *socket, const uint8_t *iv)
{
    return af_alg_transport.streams && socket->continues && (!iv || !memcmp(iv, socket->iv, AES_BLOCK_BYTES));
}

static size_t crypt_piece(struct alg_socket *socket, uint32_t operation, uint8_t *out, const uint8_t *in, size_t bytes,
                          uint8_t *iv)
{
    const struct start start = {.operation = operation, .iv = iv};
    const int decrypts_cbc = socket->mode == MODE_CBC && operation == ALG_OP_DECRYPT;
    const int more = af_alg_transport.streams && bytes % AES_BLOCK_BYTES == 0;
    uint8_t last_ciphertext[AES_BLOCK_BYTES];
    size_t taken = af_alg_transport.send(socket, goes_on(socket, iv) ? NULL : &start, in, bytes, more);

    if (taken != bytes && taken % AES_BLOCK_BYTES != 0)
        ciphermark_fail("AF_ALG took %zu of %zu bytes, which is not a number of blocks", taken, bytes);
    if (decrypts_cbc) /* `out` may be `in` */
        memcpy(last_ciphertext, in + taken - AES_BLOCK_BYTES, AES_BLOCK_BYTES);
    receive(socket, out, taken);

    if (socket->mode == MODE_CTR)
        add_blocks(iv, (taken + AES_BLOCK_BYTES - 1) / AES_BLOCK_BYTES);
    else if (socket->mode == MODE_CBC)
        memcpy(iv, decrypts_cbc ? last_ciphertext : out + taken - AES_BLOCK_BYTES, AES_BLOCK_BYTES);
    socket->continues = taken % AES_BLOCK_BYTES == 0;
    if (iv)
        memcpy(socket->iv, iv, AES_BLOCK_BYTES);
    return taken;
}

static void crypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const struct held_key *key,
                  enum mode mode)
{
    if (bytes == 0)
        return;
    struct alg_socket *socket = socket_for(key, mode);
    while (bytes > 0) {
        size_t piece = bytes < socket->piece_bytes ? bytes : socket->piece_bytes;
        size_t taken = crypt_piece(socket, key->encrypts ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT, out, in, piece, iv);
        out += taken;
        in += taken;
        bytes -= taken;
    }
}

#define ENTRY_POINTS(N) \
    void aes_##N##_expand_key(void *rk, const uint8_t *key) { hold_key(rk, key, N, ALG_OP_ENCRYPT); } \
    void aes_##N##_expand_key_decrypt(void *rk, const uint8_t *key) { hold_key(rk, key, N, ALG_OP_DECRYPT); } \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { crypt(out, in, AES_BLOCK_BYTES, NULL, rk, MODE_ECB); } \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { crypt(out, in, AES_BLOCK_BYTES, NULL, rk, MODE_ECB); } \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { crypt(out, in, bytes, NULL, rk, MODE_ECB); } \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { crypt(out, in, bytes, NULL, rk, MODE_ECB); } \
    void aes_##N##_cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { crypt(out, in, bytes, iv, rk, MODE_CBC); } \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { crypt(out, in, bytes, iv, rk, MODE_CBC); } \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { crypt(out, in, bytes, counter, rk, MODE_CTR); }

ENTRY_POINTS(128)
ENTRY_POINTS(192)
ENTRY_POINTS(256)

const char *ciphermark_unavailable(void)
{
    return find_drivers();
}

const char *ciphermark_described(void)
{
    return drivers_described();
}

const char *ciphermark_driver(unsigned number)
{
    return driver_bound(number);
}
