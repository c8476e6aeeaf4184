/* See tables.h. */
#include "tables.h"

#include "sbox.h"

#define DOUBLE(x) ((((x) << 1) ^ (((x) >> 7) * 0x11b)) & 0xff)

/* A column from its rows, rotated left. */
#define WORD(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* First columns of MixColumns, 2 1 1 3, and of InvMixColumns, e 9 d b (The Design of Rijndael, 3.4.3). */
#define MIXED(s) DOUBLE(s), s, s, DOUBLE(s) ^ (s)
#define TIMES_4(s) DOUBLE(DOUBLE(s))
#define TIMES_8(s) DOUBLE(TIMES_4(s))
#define INVERSE_MIXED(s) \
    TIMES_8(s) ^ TIMES_4(s) ^ DOUBLE(s), TIMES_8(s) ^ (s), TIMES_8(s) ^ TIMES_4(s) ^ (s), TIMES_8(s) ^ DOUBLE(s) ^ (s)

#define ROTATED_0(a, b, c, d) WORD(a, b, c, d)
#define ROTATED_1(a, b, c, d) WORD(d, a, b, c)
#define ROTATED_2(a, b, c, d) WORD(c, d, a, b)
#define ROTATED_3(a, b, c, d) WORD(b, c, d, a)
#define APPLY(macro, ...) macro(__VA_ARGS__)

#define MIXED_0(s) APPLY(ROTATED_0, MIXED(s))
#define MIXED_1(s) APPLY(ROTATED_1, MIXED(s))
#define MIXED_2(s) APPLY(ROTATED_2, MIXED(s))
#define MIXED_3(s) APPLY(ROTATED_3, MIXED(s))
#define INVERSE_MIXED_0(s) APPLY(ROTATED_0, INVERSE_MIXED(s))
#define INVERSE_MIXED_1(s) APPLY(ROTATED_1, INVERSE_MIXED(s))
#define INVERSE_MIXED_2(s) APPLY(ROTATED_2, INVERSE_MIXED(s))
#define INVERSE_MIXED_3(s) APPLY(ROTATED_3, INVERSE_MIXED(s))
#define VALUE(s) s

const struct ttable rijndael_ttable_encryption = {
    {{SBOX(MIXED_0)}, {SBOX(MIXED_1)}, {SBOX(MIXED_2)}, {SBOX(MIXED_3)}},
    {SBOX(VALUE)},
};

const struct ttable rijndael_ttable_decryption = {
    {{INVERSE_SBOX(INVERSE_MIXED_0)}, {INVERSE_SBOX(INVERSE_MIXED_1)}, {INVERSE_SBOX(INVERSE_MIXED_2)},
     {INVERSE_SBOX(INVERSE_MIXED_3)}},
    {INVERSE_SBOX(VALUE)},
};
