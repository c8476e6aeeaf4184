/*
 * The modes whose blocks do not wait for each other (ECB, CBC decryption, CTR: NIST SP 800-38A) over instructions that
 * do a round of AES on a vector of one, two or four blocks. Eight vectors are in flight, which hides a latency of four
 * cycles where two such instructions begin in each; what is left over goes in passes of four, two and one, which
 * processors overlap by themselves.
 *
 * An implementation's "vector.h", included before, says what a vector is:
 *   vector, VECTOR_BLOCKS         64-bit elements (a GNU vector), and how many blocks they are
 *   HOLD_ROUND_KEYS               1 if there are registers for all round keys beside the blocks in flight
 *   vector_of_round_key(p)        the 16 bytes at p (aligned) in place of every block
 *   {en,de}crypt_start, _round, _last   see `crypt`
 *   load_bytes, store_bytes       fewer bytes than a vector; no others are touched
 *   vector_of_block(p)            the 16 bytes at p as the last block, whatever the others
 *   blocks_before(earlier, later) `later` moved up by a block, with the last block of `earlier` as its first
 *   reversed_words(x)             every 64-bit element with its bytes in reverse
 *
 * Schedule: round keys of 16 bytes in the order in which they are added (vector_key_expansion.h).
 * Contract: aes.h, for pointers of any alignment. `out` may be `in`: a pass loads all before it stores.
 * Constant time: no branch or address depends on key or data; lengths and counters are public.
 */
#ifndef CIPHERMARK_AES_VECTOR_MODES_H
#define CIPHERMARK_AES_VECTOR_MODES_H

#include "aes.h"

#define VECTOR_INLINE static inline __attribute__((always_inline))

enum { VECTOR_BYTES = VECTOR_BLOCKS * AES_BLOCK_BYTES, IN_FLIGHT = 8, MAX_ROUNDS = 14 };

enum direction { ENCRYPT, DECRYPT };

#if HOLD_ROUND_KEYS
typedef struct {
    vector key[MAX_ROUNDS + 1];
} round_keys;

VECTOR_INLINE round_keys take_round_keys(const uint8_t *rk, unsigned rounds)
{
    round_keys keys;
#pragma GCC unroll 16
    for (unsigned i = 0; i <= rounds; i++)
        keys.key[i] = vector_of_round_key(rk + AES_BLOCK_BYTES * i);
    return keys;
}

VECTOR_INLINE vector round_key(const round_keys *keys, unsigned i)
{
    return keys->key[i];
}
#else
/* Loaded anew in every pass: one load for each round key and eight vectors. */
typedef struct {
    const uint8_t *schedule;
} round_keys;

VECTOR_INLINE round_keys take_round_keys(const uint8_t *rk, unsigned rounds)
{
    (void)rounds;
    return (round_keys){rk};
}

VECTOR_INLINE vector round_key(const round_keys *keys, unsigned i)
{
    return vector_of_round_key(keys->schedule + AES_BLOCK_BYTES * i);
}
#endif

VECTOR_INLINE vector load(const uint8_t *from)
{
    vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
}

VECTOR_INLINE void store(uint8_t *to, vector x)
{
    __builtin_memcpy(to, &x, sizeof x);
}

VECTOR_INLINE vector crypt_round(vector *x, unsigned n, vector before, vector key, enum direction direction)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        x[i] = direction == ENCRYPT ? encrypt_round(x[i], before, key) : decrypt_round(x[i], before, key);
    return key;
}

/*
 * Everything but the last round on n vectors; returns the round key that it wants before it. Instructions that add the
 * round key first (Arm) are given the one before, those that add it last (x86) the one after.
 */
VECTOR_INLINE vector crypt(vector *x, unsigned n, const round_keys *keys, unsigned rounds, enum direction direction)
{
    vector before = round_key(keys, 0);
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        x[i] = direction == ENCRYPT ? encrypt_start(x[i], before) : decrypt_start(x[i], before);
    if (n == IN_FLIGHT && !HOLD_ROUND_KEYS) {
#pragma GCC unroll 1 /* compact code is fetched 1 to 2 % faster (Zen 5) */
        for (unsigned round = 1; round < rounds; round++)
            before = crypt_round(x, n, before, round_key(keys, round), direction);
    } else {
#pragma GCC unroll 16
        for (unsigned round = 1; round < rounds; round++)
            before = crypt_round(x, n, before, round_key(keys, round), direction);
    }
    return before;
}

/* ---- ECB ---- */

VECTOR_INLINE void ecb_pass(
    uint8_t *out, const uint8_t *in, unsigned n, const round_keys *keys, unsigned rounds, enum direction direction)
{
    vector x[IN_FLIGHT];
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        x[i] = load(in + VECTOR_BYTES * i);
    vector before = crypt(x, n, keys, rounds, direction);
    vector last = round_key(keys, rounds);
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++) {
        x[i] = direction == ENCRYPT ? encrypt_last(x[i], before, last) : decrypt_last(x[i], before, last);
        store(out + VECTOR_BYTES * i, x[i]);
    }
}

VECTOR_INLINE void ecb(
    uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *rk, unsigned rounds, enum direction direction)
{
    const round_keys keys = take_round_keys(rk, rounds);
    for (; bytes >= IN_FLIGHT * VECTOR_BYTES; bytes -= IN_FLIGHT * VECTOR_BYTES) {
        ecb_pass(out, in, IN_FLIGHT, &keys, rounds, direction);
        out += IN_FLIGHT * VECTOR_BYTES;
        in += IN_FLIGHT * VECTOR_BYTES;
    }
#pragma GCC unroll 4
    for (unsigned n = IN_FLIGHT / 2; n != 0; n /= 2)
        if (bytes & n * VECTOR_BYTES) {
            ecb_pass(out, in, n, &keys, rounds, direction);
            out += n * VECTOR_BYTES;
            in += n * VECTOR_BYTES;
        }
    bytes %= VECTOR_BYTES;
    if (VECTOR_BLOCKS > 1 && bytes != 0) {
        vector x = load_bytes(in, bytes);
        vector before = crypt(&x, 1, &keys, rounds, direction);
        vector last = round_key(&keys, rounds);
        x = direction == ENCRYPT ? encrypt_last(x, before, last) : decrypt_last(x, before, last);
        store_bytes(out, x, bytes);
    }
}

/* ---- CBC decryption ---- */

/*
 * Returns the last vector of ciphertext. The ciphertexts are needed twice and loaded twice: kept, they would take the
 * registers of the blocks in flight. Only a pointer of unknown value stops compilers from keeping them.
 */
VECTOR_INLINE vector cbc_decrypt_pass(
    uint8_t *out, const uint8_t *in, unsigned n, vector earlier, const round_keys *keys, unsigned rounds)
{
    vector x[IN_FLIGHT];
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        x[i] = load(in + VECTOR_BYTES * i);
    vector chained = blocks_before(earlier, x[0]);
    vector before = crypt(x, n, keys, rounds, DECRYPT);
    vector last = round_key(keys, rounds);

    __asm__("" : "+r"(in));
    x[0] = decrypt_last(x[0], before, last ^ chained);
#pragma GCC unroll 8
    for (unsigned i = 1; i < n; i++)
        x[i] = decrypt_last(x[i], before, last ^ load(in + VECTOR_BYTES * i - AES_BLOCK_BYTES));
    earlier = load(in + VECTOR_BYTES * (n - 1));
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        store(out + VECTOR_BYTES * i, x[i]);
    return earlier;
}

VECTOR_INLINE void cbc_decrypt(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *rk, unsigned rounds)
{
    if (bytes == 0)
        return;
    const round_keys keys = take_round_keys(rk, rounds);
    uint8_t next_iv[AES_BLOCK_BYTES];
    __builtin_memcpy(next_iv, in + bytes - AES_BLOCK_BYTES, AES_BLOCK_BYTES);

    vector earlier = vector_of_block(iv);
    for (; bytes >= IN_FLIGHT * VECTOR_BYTES; bytes -= IN_FLIGHT * VECTOR_BYTES) {
        earlier = cbc_decrypt_pass(out, in, IN_FLIGHT, earlier, &keys, rounds);
        out += IN_FLIGHT * VECTOR_BYTES;
        in += IN_FLIGHT * VECTOR_BYTES;
    }
#pragma GCC unroll 4
    for (unsigned n = IN_FLIGHT / 2; n != 0; n /= 2)
        if (bytes & n * VECTOR_BYTES) {
            earlier = cbc_decrypt_pass(out, in, n, earlier, &keys, rounds);
            out += n * VECTOR_BYTES;
            in += n * VECTOR_BYTES;
        }
    bytes %= VECTOR_BYTES;
    if (VECTOR_BLOCKS > 1 && bytes != 0) {
        vector x = load_bytes(in, bytes);
        vector chained = blocks_before(earlier, x);
        vector before = crypt(&x, 1, &keys, rounds, DECRYPT);
        store_bytes(out, decrypt_last(x, before, round_key(&keys, rounds) ^ chained), bytes);
    }
    __builtin_memcpy(iv, next_iv, AES_BLOCK_BYTES);
}

/* ---- CTR ---- */

/*
 * The next counter as two host integers, and the next VECTOR_BLOCKS counters as pairs of 64-bit elements (high, low):
 * a step is one addition to the low elements, right as long as none of them wraps.
 */
typedef struct {
    uint64_t high, low;
    vector next;
} counters;

VECTOR_INLINE counters counters_from(uint64_t high, uint64_t low)
{
    counters counter = {high, low, {0}};
#pragma GCC unroll 4
    for (unsigned block = 0; block < VECTOR_BLOCKS; block++) {
        counter.next[2 * block] = high;
        counter.next[2 * block + 1] = low + block;
    }
    return counter;
}

static __attribute__((noinline)) void counters_with_carry(vector *x, unsigned n, uint64_t high, uint64_t low)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned block = 0; block < VECTOR_BLOCKS; block++) {
            x[i][2 * block] = high;
            x[i][2 * block + 1] = low;
            high += ++low == 0;
        }
}

/* The next n vectors of counters, as the cipher reads them. */
VECTOR_INLINE void take_counters(vector *x, unsigned n, counters *counter)
{
    const uint64_t low = counter->low + n * VECTOR_BLOCKS;
    if (__builtin_expect(low < counter->low, 0)) {
        vector carried[IN_FLIGHT];
        counters_with_carry(carried, n, counter->high, counter->low);
#pragma GCC unroll 8
        for (unsigned i = 0; i < n; i++)
            x[i] = reversed_words(carried[i]);
        *counter = counters_from(counter->high + 1, low);
        return;
    }
    const vector step = counters_from(0, VECTOR_BLOCKS).next - counters_from(0, 0).next;
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++) {
        x[i] = reversed_words(counter->next);
        counter->next += step;
    }
    counter->low = low;
}

VECTOR_INLINE void ctr_pass(
    uint8_t *out, const uint8_t *in, unsigned n, counters *counter, const round_keys *keys, unsigned rounds)
{
    vector x[IN_FLIGHT];
    take_counters(x, n, counter);
    vector before = crypt(x, n, keys, rounds, ENCRYPT);
    vector last = round_key(keys, rounds);
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        x[i] = encrypt_last(x[i], before, last ^ load(in + VECTOR_BYTES * i));
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        store(out + VECTOR_BYTES * i, x[i]);
}

/*
 * Kept scalar: the call before has just stored these halves, and a load of both at once, which compilers would make,
 * waits until two stores have left for the cache.
 */
VECTOR_INLINE uint64_t load_big_endian(const uint8_t *from)
{
    uint64_t x;
    __builtin_memcpy(&x, from, sizeof x);
    __asm__("" : "+r"(x));
    return __builtin_bswap64(x);
}

VECTOR_INLINE void store_big_endian(uint8_t *to, uint64_t x)
{
    x = __builtin_bswap64(x);
    __builtin_memcpy(to, &x, sizeof x);
}

VECTOR_INLINE void ctr(
    uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter_bytes, const uint8_t *rk, unsigned rounds)
{
    const round_keys keys = take_round_keys(rk, rounds);
    counters counter = counters_from(load_big_endian(counter_bytes), load_big_endian(counter_bytes + 8));

    for (; bytes >= IN_FLIGHT * VECTOR_BYTES; bytes -= IN_FLIGHT * VECTOR_BYTES) {
        ctr_pass(out, in, IN_FLIGHT, &counter, &keys, rounds);
        out += IN_FLIGHT * VECTOR_BYTES;
        in += IN_FLIGHT * VECTOR_BYTES;
    }
#pragma GCC unroll 4
    for (unsigned n = IN_FLIGHT / 2; n != 0; n /= 2)
        if (bytes & n * VECTOR_BYTES) {
            ctr_pass(out, in, n, &counter, &keys, rounds);
            out += n * VECTOR_BYTES;
            in += n * VECTOR_BYTES;
        }
    bytes %= VECTOR_BYTES;
    if (bytes != 0) {
        uint64_t blocks = (bytes + AES_BLOCK_BYTES - 1) / AES_BLOCK_BYTES;
        counters unused = counter;
        vector x;
        take_counters(&x, 1, &unused);
        vector before = crypt(&x, 1, &keys, rounds, ENCRYPT);
        store_bytes(out, encrypt_last(x, before, round_key(&keys, rounds) ^ load_bytes(in, bytes)), bytes);
        counter.low += blocks;
        counter.high += counter.low < blocks;
    }
    store_big_endian(counter_bytes, counter.high);
    store_big_endian(counter_bytes + 8, counter.low);
}

#define AES_VECTOR_MODES(N, ROUNDS) \
    void aes_##N##_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, ROUNDS, ENCRYPT); } \
    \
    void aes_##N##_ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk) \
    { ecb(out, in, bytes, rk, ROUNDS, DECRYPT); } \
    \
    void aes_##N##_cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk) \
    { cbc_decrypt(out, in, bytes, iv, rk, ROUNDS); } \
    \
    void aes_##N##_ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *rk) \
    { ctr(out, in, bytes, counter, rk, ROUNDS); }

/* The same for one block, in a file of its own: it needs none of the loops. */
#define AES_VECTOR_BLOCK(N, ROUNDS) \
    void aes_##N##_block(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        const round_keys keys = take_round_keys(rk, ROUNDS); \
        ecb_pass(out, in, 1, &keys, ROUNDS, ENCRYPT); \
    } \
    \
    void aes_##N##_block_decrypt(uint8_t *out, const uint8_t *in, const void *rk) \
    { \
        const round_keys keys = take_round_keys(rk, ROUNDS); \
        ecb_pass(out, in, 1, &keys, ROUNDS, DECRYPT); \
    }

#endif
