/* Modes of operation: NIST SP 800-38A, 6.1, 6.2 and 6.5. */
#include "modes.h"

enum { PASS_BYTES = BLOCKS * AES_BLOCK_BYTES };

typedef size_t __attribute__((may_alias)) machine_word;

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* out = a ^ b, word by word if all three are aligned. `out` may be `a` or `b`. */
static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t bytes)
{
    if (((uintptr_t)out | (uintptr_t)a | (uintptr_t)b) % sizeof(machine_word) == 0) {
        for (; bytes >= sizeof(machine_word); bytes -= sizeof(machine_word)) {
            *(machine_word *)out = *(const machine_word *)a ^ *(const machine_word *)b;
            out += sizeof(machine_word);
            a += sizeof(machine_word);
            b += sizeof(machine_word);
        }
    }
    while (bytes-- != 0)
        *out++ = *a++ ^ *b++;
}

static void copy_block(uint8_t *out, const uint8_t *in)
{
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        out[i] = in[i];
}

void ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const word *round_keys, unsigned rounds)
{
    while (bytes != 0) {
        size_t pass = min(bytes, PASS_BYTES);
        encrypt_blocks(out, in, pass / AES_BLOCK_BYTES, round_keys, rounds);
        out += pass;
        in += pass;
        bytes -= pass;
    }
}

void ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const word *round_keys, unsigned rounds)
{
    while (bytes != 0) {
        size_t pass = min(bytes, PASS_BYTES);
        decrypt_blocks(out, in, pass / AES_BLOCK_BYTES, round_keys, rounds);
        out += pass;
        in += pass;
        bytes -= pass;
    }
}

/* Each block needs the one before: a pass encrypts a single block. */
void cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const word *round_keys,
                 unsigned rounds)
{
    for (const uint8_t *end = in + bytes; in != end; in += AES_BLOCK_BYTES, out += AES_BLOCK_BYTES) {
        xor_bytes(iv, iv, in, AES_BLOCK_BYTES);
        encrypt_blocks(iv, iv, 1, round_keys, rounds);
        copy_block(out, iv);
    }
}

void cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const word *round_keys,
                 unsigned rounds)
{
    while (bytes != 0) {
        _Alignas(machine_word) uint8_t plaintext[PASS_BYTES];
        uint8_t next_iv[AES_BLOCK_BYTES];
        size_t pass = min(bytes, PASS_BYTES);

        decrypt_blocks(plaintext, in, pass / AES_BLOCK_BYTES, round_keys, rounds);
        copy_block(next_iv, in + pass - AES_BLOCK_BYTES);
        /* From the last block, since `out` may overwrite the ciphertext that the next block needs. */
        for (size_t at = pass - AES_BLOCK_BYTES; at != 0; at -= AES_BLOCK_BYTES)
            xor_bytes(out + at, plaintext + at, in + at - AES_BLOCK_BYTES, AES_BLOCK_BYTES);
        xor_bytes(out, plaintext, iv, AES_BLOCK_BYTES);
        copy_block(iv, next_iv);
        out += pass;
        in += pass;
        bytes -= pass;
    }
}

static void increment(uint8_t *counter)
{
    for (unsigned i = AES_BLOCK_BYTES; i-- != 0;)
        if (++counter[i] != 0)
            break;
}

void ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const word *round_keys,
                 unsigned rounds)
{
    while (bytes != 0) {
        _Alignas(machine_word) uint8_t keystream[PASS_BYTES];
        size_t pass = min(bytes, PASS_BYTES);
        size_t blocks = 0;

        do {
            copy_block(keystream + AES_BLOCK_BYTES * blocks++, counter);
            increment(counter);
        } while (AES_BLOCK_BYTES * blocks < pass);
        encrypt_blocks(keystream, keystream, blocks, round_keys, rounds);
        xor_bytes(out, in, keystream, pass);
        out += pass;
        in += pass;
        bytes -= pass;
    }
}
