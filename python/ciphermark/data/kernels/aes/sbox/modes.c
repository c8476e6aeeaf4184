/* Modes of operation: NIST SP 800-38A, 6.1, 6.2 and 6.5. */
#include "modes.h"

void ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *round_keys, unsigned rounds)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES)
        Cipher(out, in, round_keys, rounds);
}

void ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *round_keys, unsigned rounds)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES)
        InvCipher(out, in, round_keys, rounds);
}

void cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *round_keys,
                 unsigned rounds)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
            iv[i] ^= in[i];
        Cipher(iv, iv, round_keys, rounds);
        for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
            out[i] = iv[i];
    }
}

void cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *round_keys,
                 unsigned rounds)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        uint8_t plaintext[AES_BLOCK_BYTES];

        InvCipher(plaintext, in, round_keys, rounds);
        for (unsigned i = 0; i < AES_BLOCK_BYTES; i++) {
            uint8_t ciphertext = in[i]; /* read before `out`, which may be the same byte, is written */
            out[i] = plaintext[i] ^ iv[i];
            iv[i] = ciphertext;
        }
    }
}

static void increment(uint8_t *counter)
{
    for (unsigned i = AES_BLOCK_BYTES; i-- != 0;)
        if (++counter[i] != 0)
            break;
}

void ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const uint8_t *round_keys,
                 unsigned rounds)
{
    while (bytes != 0) {
        uint8_t keystream[AES_BLOCK_BYTES];
        size_t used = bytes < AES_BLOCK_BYTES ? bytes : AES_BLOCK_BYTES;

        Cipher(keystream, counter, round_keys, rounds);
        increment(counter);
        for (size_t i = 0; i < used; i++)
            out[i] = in[i] ^ keystream[i];
        in += used;
        out += used;
        bytes -= used;
    }
}
