/*
 * What is left of a message for implementations whose own loop takes whole blocks at aligned addresses: the partial
 * last block, or everything if a pointer is not aligned. For each folder that has a chacha20_block.
 *
 * Source: RFC 8439, section 2.4. Constant time: no table is indexed by data, branches depend on lengths and addresses.
 */
#include "chacha20.h"

/* A word of the machine's, that any memory may be read as. */
typedef uintptr_t __attribute__((may_alias)) machine_word;

static uint32_t load_little_endian(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void add_keystream(uint8_t *out, const uint8_t *in, const uint32_t *keystream, size_t bytes)
{
    const uint8_t *stream = (const uint8_t *)keystream;
    size_t done = 0;

    if ((((uintptr_t)out | (uintptr_t)in) & (sizeof(machine_word) - 1)) == 0) {
        for (; bytes - done >= sizeof(machine_word); done += sizeof(machine_word))
            *(machine_word *)(out + done) =
                *(const machine_word *)(in + done) ^ *(const machine_word *)(stream + done);
    }
    for (; done < bytes; done++)
        out[done] = in[done] ^ stream[done];
}

/* chacha20_encrypt from the block that is `first` blocks after the iv's on; `out` and `in` point to its bytes. */
void chacha20_encrypt_bytewise(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv,
                               uint32_t first)
{
    _Alignas(8) uint32_t state[CHACHA20_BLOCK_WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    _Alignas(8) uint32_t keystream[CHACHA20_BLOCK_WORDS];

    for (int i = 0; i < 8; i++)
        state[4 + i] = load_little_endian(key + 4 * i);
    for (int i = 0; i < 4; i++)
        state[12 + i] = load_little_endian(iv + 4 * i);
    state[12] += first;

    for (; bytes > 0; state[12]++) {
        size_t now = bytes < CHACHA20_BLOCK_BYTES ? bytes : CHACHA20_BLOCK_BYTES;

        chacha20_block(keystream, state);
        add_keystream(out, in, keystream, now);
        out += now;
        in += now;
        bytes -= now;
    }
}
