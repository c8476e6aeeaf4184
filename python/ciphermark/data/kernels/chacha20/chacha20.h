/*
 * ChaCha20 (RFC 8439): the calls every implementation in this family provides, whatever its technique.
 *
 * Contract
 *   block        RFC 8439, section 2.3: the block function on a state of sixteen words, `out` = `in` plus the permuted
 *                `in`. Both are aligned to 8 bytes (the limit aligned_block) and may be equal.
 *   encrypt      RFC 8439, section 2.4, any length; zero is allowed and changes nothing. Decrypts as well.
 *   out, in      of `bytes` bytes; may be equal (in place) and may be unaligned; otherwise they do not overlap.
 *   key          32 bytes: words 4 to 11 of the state.
 *   iv           16 bytes: words 12 to 15 of the state, that is the first block's number in little-endian order,
 *                then the 96-bit nonce. The number of a block is 32 bits wide: it wraps from 2^32 - 1 to 0 and
 *                leaves the nonce alone. `iv` is not written.
 *
 * No implementation may need M (multiply, divide) or a compiler's run-time library; `memcpy`, `memmove`,
 * `memset` and `memcmp` come from the harness.
 */
#ifndef CIPHERMARK_CHACHA20_H
#define CIPHERMARK_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

#define CHACHA20_BLOCK_BYTES 64
#define CHACHA20_BLOCK_WORDS 16

void chacha20_block(uint32_t out[CHACHA20_BLOCK_WORDS], const uint32_t in[CHACHA20_BLOCK_WORDS]);
void chacha20_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *key, const uint8_t *iv);

#endif
