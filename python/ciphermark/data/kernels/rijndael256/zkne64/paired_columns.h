/*
 * Columns j and j + 4 of a block of eight stand together in the low and high half of a register; round keys likewise,
 * at 32 * round + 8 * j of the schedule.
 *
 * So paired, what columns j and j + 4 of the next state take from rows 0 and 3, shifted by 0 and 4, is in their own
 * register, and what they take from rows 1 and 2 is in a neighbour's, as it stands or with the halves exchanged. And
 * the bytes that aes64es* takes from its first operand and those from its second lie in different places, so that one
 * register can be both: rows 0 and 3 of its own, row 1 of one neighbour and row 2 of the other.
 */
#define BLOCK_BYTES 32
#define ROUND_KEY_BYTES 32
