/*
 * ChaCha20 by OpenSSL's EVP interface, whose iv is chacha20.h's: the first block's number, then the nonce.
 *
 * After the last block number EVP carries into the nonce (its counter is the 64 bits of the original ChaCha); here
 * the number wraps and the nonce stays, so a message is cut there.
 *
 * Source: EVP_chacha20(3). Contract: chacha20.h. Constant time: as the library is; it indexes no table.
 */
#include <string.h>

#include "../../aes/openssl/libcrypto.h"
#include "chacha20.h"
#include "native.h"

void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv)
{
    static EVP_CIPHER_CTX *context;
    uint8_t first_iv[16];
    uint32_t number;

    if (bytes == 0)
        return;
    if (!context)
        context = libcrypto_context("ChaCha20");
    memcpy(first_iv, iv, sizeof first_iv);
    number = iv[0] | (uint32_t)iv[1] << 8 | (uint32_t)iv[2] << 16 | (uint32_t)iv[3] << 24;
    for (uint64_t blocks = (1ull << 32) - number; bytes > 0; blocks = 1ull << 32) {
        size_t piece = bytes / CHACHA20_BLOCK_BYTES < blocks ? bytes : (size_t)blocks * CHACHA20_BLOCK_BYTES;

        libcrypto_set(context, key, first_iv, 1);
        libcrypto_update(context, out, in, piece);
        memset(first_iv, 0, 4);
        out += piece;
        in += piece;
        bytes -= piece;
    }
}

const char *ciphermark_unavailable(void)
{
    return libcrypto_open();
}

const char *ciphermark_described(void)
{
    return libcrypto_described(0);
}
