/* Calls and jumps through the table that jvt points to. */

#include "without_library.h"

__attribute__((used, noinline)) static word_t twice(word_t value)
{
    return 2 * value;
}

__attribute__((used, noinline)) static word_t squared(word_t value)
{
    return value * value;
}

/* Entry 5 is a jump's, which returns to its caller's caller; 32 and 33 are calls'. */
__asm__(".pushsection .text\n"
        ".balign 64\n"
        "table:\n"
#if __riscv_xlen == 64
#define ENTRY ".dword "
#else
#define ENTRY ".word "
#endif
        "    .rept 5\n    " ENTRY "0\n    .endr\n    " ENTRY "squared\n"
        "    .rept 26\n    " ENTRY "0\n    .endr\n    " ENTRY "twice\n    " ENTRY "squared\n"
        ".popsection\n"
        ".globl through_table\n"
        "through_table:\n"
        "    addi sp, sp, -16\n"
#if __riscv_xlen == 64
        "    sd ra, 8(sp)\n"
#else
        "    sw ra, 8(sp)\n"
#endif
        "    .half 0xa082\n" /* cm.jalt 32 */
        "    addi a0, a0, 3\n"
        "    .half 0xa086\n" /* cm.jalt 33 */
#if __riscv_xlen == 64
        "    ld ra, 8(sp)\n"
#else
        "    lw ra, 8(sp)\n"
#endif
        "    addi sp, sp, 16\n"
        "    .half 0xa016\n" /* cm.jt 5 */);

word_t through_table(word_t value);

static void run(void)
{
    word_t read;
    __asm__ volatile("la t0, table\n csrw 0x017, t0\n csrr %0, 0x017\n sub %0, %0, t0" : "=r"(read) : : "t0", "memory");
    show("difference", read);
    for (word_t value = 0; value < 40; value++)
        show("through", through_table(value));
}
