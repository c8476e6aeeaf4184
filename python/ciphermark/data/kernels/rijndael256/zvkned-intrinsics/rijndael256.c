/*
 * Rijndael, block and key of 256 bits, with the C intrinsics of Zvkned: a round is a byte shuffle (shuffles.h) and an
 * AES round instruction on both halves of every block in a group of four vector registers. An indexed load repeats
 * each round key over the group.
 *
 * Contract: rijndael.h. Schedule: the round keys in order, for both directions. Blocks are loaded and stored as bytes,
 * so that they need not be aligned. Constant time in everything but lengths and addresses.
 */
#include <riscv_vector.h>

#include "rijndael.h"
#include "shuffles.h"

#define BLOCK_WORDS 8
#define BLOCK_BYTES 32
#define ROUNDS 14

#define INLINE static inline __attribute__((always_inline))

static const uint8_t encrypt_shuffle[BLOCK_BYTES] = {ENCRYPT_SHUFFLE};
static const uint8_t decrypt_shuffle[BLOCK_BYTES] = {DECRYPT_SHUFFLE};

/* shuffle[i % 32] + 32 * (i / 32), for every byte i of a group. */
INLINE vuint16m8_t group_shuffle(const uint8_t *shuffle, size_t vl)
{
    vuint16m8_t position = __riscv_vid_v_u16m8(vl);
    vuint16m8_t in_block = __riscv_vand_vx_u16m8(position, BLOCK_BYTES - 1, vl);
    vuint8m4_t from = __riscv_vluxei16_v_u8m4(shuffle, in_block, vl);
    return __riscv_vwaddu_wv_u16m8(__riscv_vsub_vv_u16m8(position, in_block, vl), from, vl);
}

/* Bytes from the beginning of a round key, for every word of a group: 0, 4, ..., 28, 0, ... */
INLINE vuint8m1_t key_indices(size_t vl)
{
    vuint8m1_t word = __riscv_vand_vx_u8m1(__riscv_vid_v_u8m1(vl), BLOCK_WORDS - 1, vl);
    return __riscv_vsll_vx_u8m1(word, 2, vl);
}

#define ROUND_KEY(i) __riscv_vluxei8_v_u32m4(rk + BLOCK_WORDS * (i), key_index, words)

/* x = instruction(shuffled x, round key i) */
#define ROUND(instruction, i) \
    bytes = __riscv_vrgatherei16_vv_u8m4(__riscv_vreinterpret_v_u32m4_u8m4(x), shuffle, 4 * words); \
    x = __riscv_##instruction##_vv_u32m4(__riscv_vreinterpret_v_u8m4_u32m4(bytes), ROUND_KEY(i), words)

INLINE vuint32m4_t encrypt(
    vuint32m4_t x, const uint32_t *rk, vuint16m8_t shuffle, vuint8m1_t key_index, size_t words)
{
    vuint8m4_t bytes;

    x = __riscv_vxor_vv_u32m4(x, ROUND_KEY(0), words);
    ROUND(vaesem, 1);
    ROUND(vaesem, 2);
    ROUND(vaesem, 3);
    ROUND(vaesem, 4);
    ROUND(vaesem, 5);
    ROUND(vaesem, 6);
    ROUND(vaesem, 7);
    ROUND(vaesem, 8);
    ROUND(vaesem, 9);
    ROUND(vaesem, 10);
    ROUND(vaesem, 11);
    ROUND(vaesem, 12);
    ROUND(vaesem, 13);
    ROUND(vaesef, ROUNDS);
    return x;
}

INLINE vuint32m4_t decrypt(
    vuint32m4_t x, const uint32_t *rk, vuint16m8_t shuffle, vuint8m1_t key_index, size_t words)
{
    vuint8m4_t bytes;

    x = __riscv_vxor_vv_u32m4(x, ROUND_KEY(ROUNDS), words);
    ROUND(vaesdm, 13);
    ROUND(vaesdm, 12);
    ROUND(vaesdm, 11);
    ROUND(vaesdm, 10);
    ROUND(vaesdm, 9);
    ROUND(vaesdm, 8);
    ROUND(vaesdm, 7);
    ROUND(vaesdm, 6);
    ROUND(vaesdm, 5);
    ROUND(vaesdm, 4);
    ROUND(vaesdm, 3);
    ROUND(vaesdm, 2);
    ROUND(vaesdm, 1);
    ROUND(vaesdf, 0);
    return x;
}

/* A group holds whole blocks at every VLEN from 128. */
#define ECB(cipher) \
    size_t group = __riscv_vsetvlmax_e8m4(); \
    vuint16m8_t shuffle = group_shuffle(cipher##_shuffle, group); \
    vuint8m1_t key_index = key_indices(group / 4); \
    for (size_t now; bytes != 0; bytes -= now, in += now, out += now) { \
        now = bytes < group ? bytes : group; \
        vuint32m4_t x = __riscv_vreinterpret_v_u8m4_u32m4(__riscv_vle8_v_u8m4(in, now)); \
        x = cipher(x, rk, shuffle, key_index, now / 4); \
        __riscv_vse8_v_u8m4(out, __riscv_vreinterpret_v_u32m4_u8m4(x), now); \
    }

void rijndael_256_256_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk_words)
{
    const uint32_t *rk = rk_words;
    ECB(encrypt)
}

void rijndael_256_256_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk_words)
{
    const uint32_t *rk = rk_words;
    ECB(decrypt)
}

void rijndael_256_256_block(uint8_t *out, const uint8_t *in, const void *rk)
{
    rijndael_256_256_ecb_encrypt(out, in, BLOCK_BYTES, rk);
}

void rijndael_256_256_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk)
{
    rijndael_256_256_ecb_decrypt(out, in, BLOCK_BYTES, rk);
}
