/* ECB, CBC and CTR (NIST SP 800-38A) over `Cipher` and `InvCipher`; the contract is that of aes.h. */
#ifndef CIPHERMARK_AES_SBOX_MODES_H
#define CIPHERMARK_AES_SBOX_MODES_H

#include "cipher.h"

void ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *round_keys, unsigned rounds);
void ecb_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, const uint8_t *round_keys, unsigned rounds);
void cbc_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *round_keys,
                 unsigned rounds);
void cbc_decrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const uint8_t *round_keys,
                 unsigned rounds);
void ctr_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const uint8_t *round_keys,
                 unsigned rounds);

#endif
