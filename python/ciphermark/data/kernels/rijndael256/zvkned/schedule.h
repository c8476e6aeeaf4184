/*
 * Where round keys stand, for assembly: half a round key, 128 bits, is field i % 8 of a segment of eight at
 * 128 * (i / 8), its word j being segment j, as vsseg8e32 writes eight registers. A round key is two neighbouring
 * fields; indices of its words, KEY_WORDS and 8 times the round key's number within four, fetch it any number of
 * times over.
 */
#define FOUR_KEYS_BYTES 128

/* First round key of four; the others begin 8 bytes later each. */
#define KEY_WORDS 0, 32, 64, 96, 4, 36, 68, 100
#define NEXT_KEY 8
