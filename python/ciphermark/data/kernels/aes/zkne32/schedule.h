/*
 * The schedule's layout and the walk over it, for assembly.
 *
 * Round keys stand in the order they are used, for decryption too (equivalent inverse cipher, FIPS 197, section
 * 5.3.5), and end at the same place for all key sizes, so that the last ten rounds are the same code.
 *
 * `walk` defines \name\()_128, \name\()_192 and \name\()_256 from macros that take the offset of a round key:
 * `start` adds it; `even` and `odd` are full rounds (out of and back into the registers that `start` uses);
 * `last` is the round without MixColumns. Return address in LINK.
 */
#define LAST_ROUND_KEY 224
#define ROUND_KEY_FROM_LAST(n) (LAST_ROUND_KEY - 16*(n))

.macro walk name, start, even, odd, last
    walk_entry \name\()_256
    \start  ROUND_KEY_FROM_LAST(14)
    \even   ROUND_KEY_FROM_LAST(13)
    \odd    ROUND_KEY_FROM_LAST(12)
    j       2f
    walk_entry \name\()_192
    \start  ROUND_KEY_FROM_LAST(12)
2:  \even   ROUND_KEY_FROM_LAST(11)
    \odd    ROUND_KEY_FROM_LAST(10)
    j       1f
    walk_entry \name\()_128
    \start  ROUND_KEY_FROM_LAST(10)
1:  \even   ROUND_KEY_FROM_LAST(9)
    \odd    ROUND_KEY_FROM_LAST(8)
    \even   ROUND_KEY_FROM_LAST(7)
    \odd    ROUND_KEY_FROM_LAST(6)
    \even   ROUND_KEY_FROM_LAST(5)
    \odd    ROUND_KEY_FROM_LAST(4)
    \even   ROUND_KEY_FROM_LAST(3)
    \odd    ROUND_KEY_FROM_LAST(2)
    \even   ROUND_KEY_FROM_LAST(1)
    \last   ROUND_KEY_FROM_LAST(0)
    jr      LINK
.endm

.macro walk_entry name
    .globl  \name
    .hidden \name
    .type   \name, @function
    .balign 4
\name:
.endm

/* to = key + the contribution of rows 0..3 of \r0..\r3 */
.macro column instruction, to, key, r0, r1, r2, r3
    \instruction \to, \key, \r0, 0
    \instruction \to, \to, \r1, 1
    \instruction \to, \to, \r2, 2
    \instruction \to, \to, \r3, 3
.endm

/* ShiftRows: column j takes row i from column j + i. */
.macro encrypt_columns instruction, y0, y1, y2, y3, k0, k1, k2, k3, x0, x1, x2, x3
    column  \instruction, \y0, \k0, \x0, \x1, \x2, \x3
    column  \instruction, \y1, \k1, \x1, \x2, \x3, \x0
    column  \instruction, \y2, \k2, \x2, \x3, \x0, \x1
    column  \instruction, \y3, \k3, \x3, \x0, \x1, \x2
.endm

/* InvShiftRows: column j takes row i from column j - i. */
.macro decrypt_columns instruction, y0, y1, y2, y3, k0, k1, k2, k3, x0, x1, x2, x3
    column  \instruction, \y0, \k0, \x0, \x3, \x2, \x1
    column  \instruction, \y1, \k1, \x1, \x0, \x3, \x2
    column  \instruction, \y2, \k2, \x2, \x1, \x0, \x3
    column  \instruction, \y3, \k3, \x3, \x2, \x1, \x0
.endm

.macro load_round_key k0, k1, k2, k3, offset
    lw      \k0, \offset(RK)
    lw      \k1, \offset + 4(RK)
    lw      \k2, \offset + 8(RK)
    lw      \k3, \offset + 12(RK)
.endm
