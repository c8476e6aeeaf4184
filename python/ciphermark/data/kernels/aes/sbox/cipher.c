/* Encryption of one block: FIPS 197, 5.1. */
#include "cipher.h"

static void SubBytes(state_t state)
{
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] = aes_sbox[state[i]];
}

/* Row r moves left by r columns. */
static void ShiftRows(state_t state)
{
    uint8_t first = state[1];
    state[1] = state[5];
    state[5] = state[9];
    state[9] = state[13];
    state[13] = first;

    first = state[2];
    state[2] = state[10];
    state[10] = first;
    first = state[6];
    state[6] = state[14];
    state[14] = first;

    first = state[3];
    state[3] = state[15];
    state[15] = state[11];
    state[11] = state[7];
    state[7] = first;
}

__attribute__((noinline)) void MixColumns(state_t state)
{
    for (uint8_t *column = state; column != state + AES_BLOCK_BYTES; column += 4) {
        uint8_t a = column[0], b = column[1], c = column[2], d = column[3];
        /* 2a + 3b + c + d = a + (a + b + c + d) + 2(a + b), and so on around the column. */
        uint8_t sum = a ^ b ^ c ^ d;
        column[0] = a ^ sum ^ xtime(a ^ b);
        column[1] = b ^ sum ^ xtime(b ^ c);
        column[2] = c ^ sum ^ xtime(c ^ d);
        column[3] = d ^ sum ^ xtime(d ^ a);
    }
}

void Cipher(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, unsigned rounds)
{
    state_t state;

    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] = in[i] ^ round_keys[i];
    for (unsigned round = 1; round < rounds; round++) {
        round_keys += AES_BLOCK_BYTES;
        SubBytes(state);
        ShiftRows(state);
        MixColumns(state);
        AddRoundKey(state, round_keys);
    }
    round_keys += AES_BLOCK_BYTES;
    SubBytes(state);
    ShiftRows(state);
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        out[i] = state[i] ^ round_keys[i];
}
