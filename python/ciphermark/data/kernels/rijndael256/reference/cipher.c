/* The steps of a round, and the cipher and its inverse made of them: The Design of Rijndael, 3.4 and 3.7. */
#include "cipher.h"

/* How far each row moves left, by the columns of a block: table 3.1. */
static const uint8_t offsets[MAX_COLUMNS + 1][ROWS] = {
    [4] = {0, 1, 2, 3}, [5] = {0, 1, 2, 3}, [6] = {0, 1, 2, 3}, [7] = {0, 1, 2, 4}, [8] = {0, 1, 3, 4},
};

static void SubBytes(state_t state, const uint8_t *sbox, unsigned columns)
{
    for (unsigned i = 0; i < ROWS * columns; i++)
        state[i] = sbox[state[i]];
}

static void AddRoundKey(state_t state, const uint8_t *round_key, unsigned columns)
{
    for (unsigned i = 0; i < ROWS * columns; i++)
        state[i] ^= round_key[i];
}

/* Column `column + offset` of a row goes to `column`; the inverse goes the other way. */
static void ShiftRows(state_t state, unsigned columns, int inverse)
{
    for (unsigned row = 1; row < ROWS; row++) {
        uint8_t before[MAX_COLUMNS];
        unsigned offset = offsets[columns][row];

        for (unsigned column = 0; column < columns; column++)
            before[column] = state[ROWS * column + row];
        unsigned from = inverse ? columns - offset : offset;
        for (unsigned column = 0; column < columns; column++) {
            state[ROWS * column + row] = before[from];
            from = from + 1 == columns ? 0 : from + 1;
        }
    }
}

static void MixColumns(state_t state, unsigned columns)
{
    for (uint8_t *column = state; column != state + ROWS * columns; column += ROWS) {
        uint8_t a = column[0], b = column[1], c = column[2], d = column[3];
        /* 2a + 3b + c + d = a + (a + b + c + d) + 2(a + b), and so on around the column. */
        uint8_t sum = a ^ b ^ c ^ d;
        column[0] = a ^ sum ^ xtime(a ^ b);
        column[1] = b ^ sum ^ xtime(b ^ c);
        column[2] = c ^ sum ^ xtime(c ^ d);
        column[3] = d ^ sum ^ xtime(d ^ a);
    }
}

/* The matrices of InvMixColumns and MixColumns differ by the factor circ(5, 0, 4, 0): 4.1.3. */
static void InvMixColumns(state_t state, unsigned columns)
{
    for (uint8_t *column = state; column != state + ROWS * columns; column += ROWS) {
        uint8_t even = xtime(xtime(column[0] ^ column[2]));
        uint8_t odd = xtime(xtime(column[1] ^ column[3]));
        column[0] ^= even;
        column[1] ^= odd;
        column[2] ^= even;
        column[3] ^= odd;
    }
    MixColumns(state, columns);
}

void Rijndael(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, struct sizes sizes)
{
    const unsigned columns = sizes.block_columns;
    state_t state;

    for (unsigned i = 0; i < ROWS * columns; i++)
        state[i] = in[i];
    AddRoundKey(state, round_keys, columns);
    for (unsigned round = 1; round <= sizes.rounds; round++) {
        round_keys += ROWS * columns;
        SubBytes(state, rijndael_sbox, columns);
        ShiftRows(state, columns, 0);
        if (round != sizes.rounds)
            MixColumns(state, columns);
        AddRoundKey(state, round_keys, columns);
    }
    for (unsigned i = 0; i < ROWS * columns; i++)
        out[i] = state[i];
}

void InvRijndael(uint8_t *out, const uint8_t *in, const uint8_t *round_keys, struct sizes sizes)
{
    const unsigned columns = sizes.block_columns;
    state_t state;

    for (unsigned i = 0; i < ROWS * columns; i++)
        state[i] = in[i];
    round_keys += sizes.schedule_bytes - ROWS * columns;
    AddRoundKey(state, round_keys, columns);
    for (unsigned round = sizes.rounds; round != 0; round--) {
        round_keys -= ROWS * columns;
        ShiftRows(state, columns, 1);
        SubBytes(state, rijndael_inverse_sbox, columns);
        AddRoundKey(state, round_keys, columns);
        if (round != 1)
            InvMixColumns(state, columns);
    }
    for (unsigned i = 0; i < ROWS * columns; i++)
        out[i] = state[i];
}
