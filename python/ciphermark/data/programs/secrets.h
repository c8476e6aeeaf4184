/*
 * Marks for `ciphermark secrets` and `ciphermark sim --secrets`: which bytes of memory are secret, and which no longer
 * are. A mark is an instruction that every RISC-V core executes as nothing: `slt` and `sltu` to register zero are hints
 * designated for custom use (Unprivileged ISA, "HINT Instructions"). On other architectures it is no code at all.
 *
 * SUPERCOP's names for them are here, too, so that code prepared for TIMECOP compiles as it is. Valgrind's client
 * requests (VALGRIND_MAKE_MEM_UNDEFINED and _DEFINED) are understood without this header.
 */
#ifndef CIPHERMARK_SECRETS_H
#define CIPHERMARK_SECRETS_H

#if defined(__riscv)
#define CIPHERMARK_MARK(instruction, address, bytes)                                                     \
    do {                                                                                                 \
        register unsigned long ciphermark_a0 __asm__("a0") = (unsigned long)(address);                   \
        register unsigned long ciphermark_a1 __asm__("a1") = (unsigned long)(bytes);                     \
        __asm__ volatile(instruction " zero, a0, a1" : : "r"(ciphermark_a0), "r"(ciphermark_a1) : "memory"); \
    } while (0)
#else
#define CIPHERMARK_MARK(instruction, address, bytes) ((void)(address), (void)(bytes))
#endif

/* The bytes at an address are secret from here on. */
#define CIPHERMARK_SECRET(address, bytes) CIPHERMARK_MARK("slt", address, bytes)
/* They are public from here on: declassified. */
#define CIPHERMARK_PUBLIC(address, bytes) CIPHERMARK_MARK("sltu", address, bytes)

#define crypto_classify(address, bytes) CIPHERMARK_SECRET(address, bytes)
#define crypto_declassify(address, bytes) CIPHERMARK_PUBLIC(address, bytes)

#endif
