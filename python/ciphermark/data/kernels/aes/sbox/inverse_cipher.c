/* Decryption of one block: FIPS 197, 5.3. */
#include "cipher.h"

static void InvSubBytes(state_t state)
{
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] = aes_inverse_sbox[state[i]];
}

/* Row r moves right by r columns. */
static void InvShiftRows(state_t state)
{
    uint8_t last = state[13];
    state[13] = state[9];
    state[9] = state[5];
    state[5] = state[1];
    state[1] = last;

    last = state[14];
    state[14] = state[6];
    state[6] = last;
    last = state[10];
    state[10] = state[2];
    state[2] = last;

    last = state[15];
    state[15] = state[3];
    state[3] = state[7];
    state[7] = state[11];
    state[11] = last;
}

/*
 * InvMixColumns is MixColumns after adding 4(a + c) to rows 0 and 2, and 4(b + d) to rows 1 and 3, because the two
 * matrices differ by circ(5, 0, 4, 0): J. Daemen and V. Rijmen, The Design of Rijndael, 4.1.3.
 */
static void InvMixColumns(state_t state)
{
    for (uint8_t *column = state; column != state + AES_BLOCK_BYTES; column += 4) {
        uint8_t even = xtime(xtime(column[0] ^ column[2]));
        uint8_t odd = xtime(xtime(column[1] ^ column[3]));
        column[0] ^= even;
        column[1] ^= odd;
        column[2] ^= even;
        column[3] ^= odd;
    }
    MixColumns(state);
}

void InvCipher(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, unsigned rounds)
{
    state_t state;

    round_keys += AES_BLOCK_BYTES * rounds;
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] = in[i] ^ round_keys[i];
    for (unsigned round = 1; round < rounds; round++) {
        round_keys -= AES_BLOCK_BYTES;
        InvShiftRows(state);
        InvSubBytes(state);
        AddRoundKey(state, round_keys);
        InvMixColumns(state);
    }
    round_keys -= AES_BLOCK_BYTES;
    InvShiftRows(state);
    InvSubBytes(state);
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        out[i] = state[i] ^ round_keys[i];
}
