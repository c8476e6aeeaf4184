/*
 * ECB with Zvkned, eight registers of blocks an iteration, which at VLEN 256 is sixteen blocks. Whole groups move with
 * whole-register instructions of bytes, which like any access of bytes may be unaligned and want no change of vtype.
 *
 * Contract: aes.h. Clobbers a0 to a2, t0 to t2, v0 to v14 and v16 to v23.
 * Constant time in everything but lengths and addresses.
 */
#include "round_keys.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define RK a3
#define GROUP t0 /* bytes of eight registers */
#define END t1   /* of the whole groups of the input */
#define WORDS t2

.macro ecb_function name, direction, key_bits
    .globl  \name
    .type   \name, @function
    .balign 4
\name:
    load_round_keys \key_bits, RK, END
    vsetvli GROUP, zero, e32, m8, ta, ma
    slli    GROUP, GROUP, 2
    bltu    BYTES, GROUP, 2f
    neg     END, GROUP
    and     END, END, BYTES
    sub     BYTES, BYTES, END
    add     END, END, IN
1:  vl8re8.v v16, (IN)
    add     IN, IN, GROUP
    \direction \key_bits, v16
    vs8r.v  v16, (OUT)
    add     OUT, OUT, GROUP
    bne     IN, END, 1b
2:  beqz    BYTES, 3f
    vsetvli zero, BYTES, e8, m8, ta, ma
    vle8.v  v16, (IN)
    srli    WORDS, BYTES, 2
    vsetvli zero, WORDS, e32, m8, ta, ma
    \direction \key_bits, v16
    vsetvli zero, BYTES, e8, m8, ta, ma
    vse8.v  v16, (OUT)
3:  ret
    .size   \name, . - \name
.endm

    .text
    .irp key_bits, 128, 192, 256
    ecb_function aes_\key_bits\()_ecb_encrypt, encrypt, \key_bits
    ecb_function aes_\key_bits\()_ecb_decrypt, decrypt, \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
