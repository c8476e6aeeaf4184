/* What riscv-arch-test asks of a machine, for one that ends through HTIF's tohost. */

#ifndef CIPHERMARK_MODEL_TEST_H
#define CIPHERMARK_MODEL_TEST_H

/* Assembled without compressed instructions, for a machine that has them: what holds at the end of the file goes
   into the ELF file's attributes. */
#ifdef UNCOMPRESSED
.option norvc
#define RVMODEL_END_OF_FILE .option rvc;
#else
#define RVMODEL_END_OF_FILE
#endif

#define RVMODEL_BOOT

/* The high half goes last: RV32 machines act on it. */
#define RVMODEL_HALT \
  la t0, tohost; \
  li t1, 1; \
  sw t1, 0(t0); \
  sw zero, 4(t0); \
  9: j 9b;

/* A signature ends on 16 bytes, but not in release 2's references for RV32E. */
#ifdef RVTEST_E
#define SIGNATURE_ALIGNMENT 2
#else
#define SIGNATURE_ALIGNMENT 4
#endif

#define RVMODEL_DATA_BEGIN \
  .align 4; \
  .global begin_signature; \
  begin_signature:

#define RVMODEL_DATA_END \
  .align SIGNATURE_ALIGNMENT; \
  .global end_signature; \
  end_signature: \
  .pushsection .tohost, "aw", @progbits; \
  .align 6; \
  .global tohost; \
  tohost: .dword 0; \
  .size tohost, 8; \
  .align 6; \
  .global fromhost; \
  fromhost: .dword 0; \
  .size fromhost, 8; \
  .popsection; \
  RVMODEL_END_OF_FILE

/* Nothing is printed and there are no interrupts. */
#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(register, string)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(scratch, register, value)
#define RVMODEL_IO_ASSERT_SFPR_EQ(scratch, register, value)
#define RVMODEL_IO_ASSERT_DFPR_EQ(scratch, register, value)
#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#define RVMODEL_FENCEI fence.i

/* Release 2 spells Zbkb's instructions as its draft did. Assemblers no longer know these names; the encodings
   are those of brev8, zip and unzip. */
.macro grevi rd, rs, shape
  .insn i 0x13, 5, \rd, \rs, 0x680 + \shape
.endm
.macro shfli rd, rs, shape
  .insn i 0x13, 1, \rd, \rs, 0x080 + \shape
.endm
.macro unshfli rd, rs, shape
  .insn i 0x13, 5, \rd, \rs, 0x080 + \shape
.endm

#endif
