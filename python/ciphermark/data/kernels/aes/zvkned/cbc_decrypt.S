/*
 * CBC decryption with Zvkned, eight registers of blocks per iteration, from the message's end to its beginning: then
 * the ciphertext that a group is chained to, the same memory one block earlier, has not been overwritten yet when
 * deciphering in place. An incomplete group lies at the beginning and comes last, with the iv.
 *
 * Contract: aes.h. Clobbers a2, t0 to t6, v0 to v31. Constant time in everything but lengths and addresses.
 */
#include "round_keys.h"

#define OUT a0
#define IN a1
#define BYTES a2
#define IV a3
#define RK a4
#define GROUP t0 /* bytes of eight registers */
#define FROM t1
#define TO t2
#define FIRST_END t3 /* of the group at the beginning, in the input */
#define CHAINED t4
#define WORDS t4

.macro cbc_decrypt_function key_bits
    .globl  aes_\key_bits\()_cbc_decrypt
    .type   aes_\key_bits\()_cbc_decrypt, @function
    .balign 4
aes_\key_bits\()_cbc_decrypt:
    beqz    BYTES, 3f
    add     FROM, IN, BYTES
    add     TO, OUT, BYTES
    addi    CHAINED, FROM, -16
    vsetivli zero, 16, e8, m1, ta, ma
    vle8.v  v15, (IV)
    vle8.v  v16, (CHAINED)
    vse8.v  v16, (IV)
    load_round_keys \key_bits, RK, t5
    vsetvli GROUP, zero, e32, m8, ta, ma
    slli    GROUP, GROUP, 2
    addi    BYTES, BYTES, -1
    addi    t5, GROUP, -1
    and     BYTES, BYTES, t5
    addi    BYTES, BYTES, 1
    add     FIRST_END, IN, BYTES
    beq     FROM, FIRST_END, 2f
1:  sub     FROM, FROM, GROUP
    vl8re8.v v16, (FROM)
    addi    CHAINED, FROM, -16
    vl8re8.v v24, (CHAINED)
    decrypt \key_bits, v16
    vxor.vv v16, v16, v24
    sub     TO, TO, GROUP
    vs8r.v  v16, (TO)
    bne     FROM, FIRST_END, 1b
2:  vsetvli zero, BYTES, e8, m8, ta, ma
    vle8.v  v16, (IN)
    vmv1r.v v24, v15
    vslideup.vi v24, v16, 16
    srli    WORDS, BYTES, 2
    vsetvli zero, WORDS, e32, m8, ta, ma
    decrypt \key_bits, v16
    vxor.vv v16, v16, v24
    vsetvli zero, BYTES, e8, m8, ta, ma
    vse8.v  v16, (OUT)
3:  ret
    .size   aes_\key_bits\()_cbc_decrypt, . - aes_\key_bits\()_cbc_decrypt
.endm

    .text
    .irp key_bits, 128, 192, 256
    cbc_decrypt_function \key_bits
    .endr

    .section .note.GNU-stack, "", @progbits
