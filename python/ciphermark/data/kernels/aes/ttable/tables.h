/* Where things stand in aes_ttable_encryption and aes_ttable_decryption (tables.S); for C and assembly. */
#ifndef CIPHERMARK_AES_TTABLE_TABLES_H
#define CIPHERMARK_AES_TTABLE_TABLES_H

#define COLUMN_TABLE_BYTES 1024
#define SBOX_OFFSET (4 * COLUMN_TABLE_BYTES)

#ifdef __ASSEMBLER__

/*
 * A base in the middle reaches all column tables with the 12-bit offset of a load. From there one addition reaches
 * one below the S-box.
 */
#define MIDDLE (2 * COLUMN_TABLE_BYTES)
#define COLUMN_TABLE(i) ((i) * COLUMN_TABLE_BYTES - MIDDLE)

/* Logical right shift of the low 32 bits. */
#if __riscv_xlen == 64
#define SRL32 srliw
#else
#define SRL32 srli
#endif

#else

#include <stdint.h>

typedef struct {
    uint32_t column[4][256];
    uint8_t sbox[256];
} aes_ttable;

extern const aes_ttable aes_ttable_encryption __attribute__((visibility("hidden")));
extern const aes_ttable aes_ttable_decryption __attribute__((visibility("hidden")));

#endif
#endif
