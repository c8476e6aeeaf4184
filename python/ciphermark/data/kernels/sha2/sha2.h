/*
 * SHA-256 and SHA-512 (FIPS 180-4): the calls every implementation in this family provides.
 *
 * Contract
 *   state      eight words in the machine's byte order, naturally aligned; updated in place.
 *   data       may be unaligned. `compress` reads `blocks` blocks of 64 (SHA-256) or 128 (SHA-512) bytes.
 *   bytes      any length; `hash` pads.
 *   digest     32 (SHA-256) or 64 (SHA-512) bytes, big-endian as in the standard; may be unaligned; does not overlap `data`.
 *
 * No implementation may need M (multiply, divide) or a compiler's run-time library; `memcpy`, `memmove`,
 * `memset` and `memcmp` come from the harness.
 */
#ifndef CIPHERMARK_SHA2_H
#define CIPHERMARK_SHA2_H

#include <stddef.h>
#include <stdint.h>

void sha256_compress(uint32_t state[8], const uint8_t *data, size_t blocks);
void sha256_hash(uint8_t *digest, const uint8_t *data, size_t bytes);

void sha512_compress(uint64_t state[8], const uint8_t *data, size_t blocks);
void sha512_hash(uint8_t *digest, const uint8_t *data, size_t bytes);

#endif
