/*
 * CBC encryption with Zvkned: every block waits for the one before it, so one is in flight. The plaintext is whitened
 * before it meets the chaining value, which keeps that addition out of the chain of dependent instructions.
 *
 * Contract: aes.h. Buffers that are not aligned to words move as bytes, at two changes of vtype a block.
 * Clobbers a0, a1, a5, t0, v0 to v14, v16 and v17. Constant time in everything but lengths and addresses.
 */
#include "round_keys.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define IV a3
#define RK a4
#define END a5

#define CHAIN v16
#define PLAIN v17

.macro as_bytes
    vsetivli zero, 16, e8, m1, ta, ma
.endm

.macro as_words
    vsetivli zero, 4, e32, m1, ta, ma
.endm

.macro next_block key_bits
    vaesz.vs PLAIN, v0
    vxor.vv CHAIN, CHAIN, PLAIN
    encrypt_whitened \key_bits, CHAIN
    addi    IN, IN, 16
.endm

.macro cbc_encrypt_function key_bits
    .globl  aes_\key_bits\()_cbc_encrypt
    .type   aes_\key_bits\()_cbc_encrypt, @function
    .balign 4
aes_\key_bits\()_cbc_encrypt:
    beqz    BYTES, 4f
    add     END, IN, BYTES
    as_bytes
    vle8.v  CHAIN, (IV)
    load_round_keys \key_bits, RK, t0
    or      t0, OUT, IN
    andi    t0, t0, 3
    bnez    t0, 2f
1:  vle32.v PLAIN, (IN)
    next_block \key_bits
    vse32.v CHAIN, (OUT)
    addi    OUT, OUT, 16
    bne     IN, END, 1b
    as_bytes
    vse8.v  CHAIN, (IV)
    ret
2:  as_bytes
3:  vle8.v  PLAIN, (IN)
    as_words
    next_block \key_bits
    as_bytes
    vse8.v  CHAIN, (OUT)
    addi    OUT, OUT, 16
    bne     IN, END, 3b
    vse8.v  CHAIN, (IV)
4:  ret
    .size   aes_\key_bits\()_cbc_encrypt, . - aes_\key_bits\()_cbc_encrypt
.endm

    .text
    .irp key_bits, 128, 192, 256
    cbc_encrypt_function \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
