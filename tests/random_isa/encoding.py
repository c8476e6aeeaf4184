"""Encodings of the scalar instructions, from the RISC-V manual and not from the project's descriptions.

A row is: mnemonic, extensions that have it (any of), XLENs, format, opcode, funct3 and the bits above
(funct7, funct6, funct5 or funct12, whichever the format has), all numbers in hexadecimal.
"""

from __future__ import annotations

from dataclasses import dataclass

_TABLE = """
lui         i          32,64 u      37 0 0
auipc       i          32,64 u      17 0 0
jal         i          32,64 j      6f 0 0
jalr        i          32,64 jalr   67 0 0
addi        i          32,64 i      13 0 0
slti        i          32,64 i      13 2 0
sltiu       i          32,64 i      13 3 0
xori        i          32,64 i      13 4 0
ori         i          32,64 i      13 6 0
andi        i          32,64 i      13 7 0
slli        i          32    shift5 13 1 00
srli        i          32    shift5 13 5 00
srai        i          32    shift5 13 5 20
slli        i          64    shift6 13 1 00
srli        i          64    shift6 13 5 00
srai        i          64    shift6 13 5 10
add         i          32,64 r      33 0 00
sub         i          32,64 r      33 0 20
sll         i          32,64 r      33 1 00
slt         i          32,64 r      33 2 00
sltu        i          32,64 r      33 3 00
xor         i          32,64 r      33 4 00
srl         i          32,64 r      33 5 00
sra         i          32,64 r      33 5 20
or          i          32,64 r      33 6 00
and         i          32,64 r      33 7 00
addiw       i          64    i      1b 0 0
slliw       i          64    shift5 1b 1 00
srliw       i          64    shift5 1b 5 00
sraiw       i          64    shift5 1b 5 20
addw        i          64    r      3b 0 00
subw        i          64    r      3b 0 20
sllw        i          64    r      3b 1 00
srlw        i          64    r      3b 5 00
sraw        i          64    r      3b 5 20
lb          i          32,64 load   03 0 0
lh          i          32,64 load   03 1 0
lw          i          32,64 load   03 2 0
lbu         i          32,64 load   03 4 0
lhu         i          32,64 load   03 5 0
lwu         i          64    load   03 6 0
ld          i          64    load   03 3 0
sb          i          32,64 store  23 0 0
sh          i          32,64 store  23 1 0
sw          i          32,64 store  23 2 0
sd          i          64    store  23 3 0
beq         i          32,64 branch 63 0 0
bne         i          32,64 branch 63 1 0
blt         i          32,64 branch 63 4 0
bge         i          32,64 branch 63 5 0
bltu        i          32,64 branch 63 6 0
bgeu        i          32,64 branch 63 7 0
mul         m          32,64 r      33 0 01
mulh        m          32,64 r      33 1 01
mulhsu      m          32,64 r      33 2 01
mulhu       m          32,64 r      33 3 01
div         m          32,64 r      33 4 01
divu        m          32,64 r      33 5 01
rem         m          32,64 r      33 6 01
remu        m          32,64 r      33 7 01
mulw        m          64    r      3b 0 01
divw        m          64    r      3b 4 01
divuw       m          64    r      3b 5 01
remw        m          64    r      3b 6 01
remuw       m          64    r      3b 7 01
lr.w        a          32,64 lr     2f 2 02
sc.w        a          32,64 sc     2f 2 03
amoswap.w   a          32,64 amo    2f 2 01
amoadd.w    a          32,64 amo    2f 2 00
amoxor.w    a          32,64 amo    2f 2 04
amoand.w    a          32,64 amo    2f 2 0c
amoor.w     a          32,64 amo    2f 2 08
amomin.w    a          32,64 amo    2f 2 10
amomax.w    a          32,64 amo    2f 2 14
amominu.w   a          32,64 amo    2f 2 18
amomaxu.w   a          32,64 amo    2f 2 1c
lr.d        a          64    lr     2f 3 02
sc.d        a          64    sc     2f 3 03
amoswap.d   a          64    amo    2f 3 01
amoadd.d    a          64    amo    2f 3 00
amoxor.d    a          64    amo    2f 3 04
amoand.d    a          64    amo    2f 3 0c
amoor.d     a          64    amo    2f 3 08
amomin.d    a          64    amo    2f 3 10
amomax.d    a          64    amo    2f 3 14
amominu.d   a          64    amo    2f 3 18
amomaxu.d   a          64    amo    2f 3 1c
czero.eqz   zicond     32,64 r      33 5 07
czero.nez   zicond     32,64 r      33 7 07
mop.r.0     zimop      32,64 unary  73 4 81c
mop.r.13    zimop      32,64 unary  73 4 8dd
mop.r.31    zimop      32,64 unary  73 4 cdf
mop.rr.0    zimop      32,64 r      73 4 41
mop.rr.5    zimop      32,64 r      73 4 63
mop.rr.7    zimop      32,64 r      73 4 67
amoswap.b   zabha      32,64 amo    2f 0 01
amoadd.b    zabha      32,64 amo    2f 0 00
amoxor.b    zabha      32,64 amo    2f 0 04
amoand.b    zabha      32,64 amo    2f 0 0c
amoor.b     zabha      32,64 amo    2f 0 08
amomin.b    zabha      32,64 amo    2f 0 10
amomax.b    zabha      32,64 amo    2f 0 14
amominu.b   zabha      32,64 amo    2f 0 18
amomaxu.b   zabha      32,64 amo    2f 0 1c
amoswap.h   zabha      32,64 amo    2f 1 01
amoadd.h    zabha      32,64 amo    2f 1 00
amoxor.h    zabha      32,64 amo    2f 1 04
amoand.h    zabha      32,64 amo    2f 1 0c
amoor.h     zabha      32,64 amo    2f 1 08
amomin.h    zabha      32,64 amo    2f 1 10
amomax.h    zabha      32,64 amo    2f 1 14
amominu.h   zabha      32,64 amo    2f 1 18
amomaxu.h   zabha      32,64 amo    2f 1 1c
amocas.w    zacas      32,64 cas    2f 2 05
amocas.d    zacas      32    cas2   2f 3 05
amocas.d    zacas      64    cas    2f 3 05
amocas.q    zacas      64    cas2   2f 4 05
sh1add      zba        32,64 r      33 2 10
sh2add      zba        32,64 r      33 4 10
sh3add      zba        32,64 r      33 6 10
add.uw      zba        64    r      3b 0 04
sh1add.uw   zba        64    r      3b 2 10
sh2add.uw   zba        64    r      3b 4 10
sh3add.uw   zba        64    r      3b 6 10
slli.uw     zba        64    shift6 1b 1 02
andn        zbb,zbkb   32,64 r      33 7 20
orn         zbb,zbkb   32,64 r      33 6 20
xnor        zbb,zbkb   32,64 r      33 4 20
rol         zbb,zbkb   32,64 r      33 1 30
ror         zbb,zbkb   32,64 r      33 5 30
rori        zbb,zbkb   32    shift5 13 5 30
rori        zbb,zbkb   64    shift6 13 5 18
rolw        zbb,zbkb   64    r      3b 1 30
rorw        zbb,zbkb   64    r      3b 5 30
roriw       zbb,zbkb   64    shift5 1b 5 30
rev8        zbb,zbkb   32    unary  13 5 698
rev8        zbb,zbkb   64    unary  13 5 6b8
clz         zbb        32,64 unary  13 1 600
ctz         zbb        32,64 unary  13 1 601
cpop        zbb        32,64 unary  13 1 602
clzw        zbb        64    unary  1b 1 600
ctzw        zbb        64    unary  1b 1 601
cpopw       zbb        64    unary  1b 1 602
max         zbb        32,64 r      33 6 05
maxu        zbb        32,64 r      33 7 05
min         zbb        32,64 r      33 4 05
minu        zbb        32,64 r      33 5 05
sext.b      zbb        32,64 unary  13 1 604
sext.h      zbb        32,64 unary  13 1 605
zext.h      zbb        32    unary  33 4 080
zext.h      zbb        64    unary  3b 4 080
orc.b       zbb        32,64 unary  13 5 287
clmul       zbc,zbkc   32,64 r      33 1 05
clmulh      zbc,zbkc   32,64 r      33 3 05
clmulr      zbc        32,64 r      33 2 05
bclr        zbs        32,64 r      33 1 24
bext        zbs        32,64 r      33 5 24
binv        zbs        32,64 r      33 1 34
bset        zbs        32,64 r      33 1 14
bclri       zbs        32    shift5 13 1 24
bexti       zbs        32    shift5 13 5 24
binvi       zbs        32    shift5 13 1 34
bseti       zbs        32    shift5 13 1 14
bclri       zbs        64    shift6 13 1 12
bexti       zbs        64    shift6 13 5 12
binvi       zbs        64    shift6 13 1 1a
bseti       zbs        64    shift6 13 1 0a
pack        zbkb       32,64 r      33 4 04
packh       zbkb       32,64 r      33 7 04
packw       zbkb       64    r      3b 4 04
brev8       zbkb       32,64 unary  13 5 687
zip         zbkb       32    unary  13 1 08f
unzip       zbkb       32    unary  13 5 08f
xperm4      zbkx       32,64 r      33 2 14
xperm8      zbkx       32,64 r      33 4 14
aes32esi    zkne       32    bs     33 0 11
aes32esmi   zkne       32    bs     33 0 13
aes32dsi    zknd       32    bs     33 0 15
aes32dsmi   zknd       32    bs     33 0 17
aes64es     zkne       64    r      33 0 19
aes64esm    zkne       64    r      33 0 1b
aes64ds     zknd       64    r      33 0 1d
aes64dsm    zknd       64    r      33 0 1f
aes64im     zknd       64    unary  13 1 300
aes64ks1i   zkne,zknd  64    rnum   13 1 31
aes64ks2    zkne,zknd  64    r      33 0 3f
sha256sum0  zknh       32,64 unary  13 1 100
sha256sum1  zknh       32,64 unary  13 1 101
sha256sig0  zknh       32,64 unary  13 1 102
sha256sig1  zknh       32,64 unary  13 1 103
sha512sum0  zknh       64    unary  13 1 104
sha512sum1  zknh       64    unary  13 1 105
sha512sig0  zknh       64    unary  13 1 106
sha512sig1  zknh       64    unary  13 1 107
sha512sum0r zknh       32    r      33 0 28
sha512sum1r zknh       32    r      33 0 29
sha512sig0l zknh       32    r      33 0 2a
sha512sig0h zknh       32    r      33 0 2e
sha512sig1l zknh       32    r      33 0 2b
sha512sig1h zknh       32    r      33 0 2f
sm4ed       zksed      32,64 bs     33 0 18
sm4ks       zksed      32,64 bs     33 0 1a
sm3p0       zksh       32,64 unary  13 1 108
sm3p1       zksh       32,64 unary  13 1 109
"""


@dataclass(frozen=True)
class Instruction:
    """One row of the table."""

    mnemonic: str
    extensions: frozenset[str]
    xlens: frozenset[int]
    format: str
    opcode: int
    funct3: int
    upper: int

    def word(self, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> int:
        """The instruction word.

        ``imm`` is the immediate, shift amount, byte select or round number; for ``u`` the upper 20
        bits, for branches and jumps the offset in bytes.
        """
        word = self.opcode | self.funct3 << 12 | rs1 << 15
        match self.format:
            case "r" | "sc" | "amo" | "cas" | "cas2":
                upper = self.upper if self.format == "r" else self.upper << 2
                return word | rd << 7 | rs2 << 20 | upper << 25
            case "lr":
                return word | rd << 7 | self.upper << 27
            case "bs":
                return word | rd << 7 | rs2 << 20 | self.upper << 25 | imm << 30
            case "i" | "load" | "jalr":
                return word | rd << 7 | (imm & 0xFFF) << 20
            case "shift5":
                return word | rd << 7 | imm << 20 | self.upper << 25
            case "shift6":
                return word | rd << 7 | imm << 20 | self.upper << 26
            case "rnum":
                return word | rd << 7 | imm << 20 | self.upper << 24
            case "unary":
                return word | rd << 7 | self.upper << 20
            case "u":
                return self.opcode | rd << 7 | (imm & 0xFFFFF) << 12
            case "j":
                low = (imm >> 12 & 0xFF) << 12 | (imm >> 11 & 1) << 20
                high = (imm >> 1 & 0x3FF) << 21 | (imm >> 20 & 1) << 31
                return self.opcode | rd << 7 | low | high
            case "store":
                return word | (imm & 0x1F) << 7 | rs2 << 20 | (imm >> 5 & 0x7F) << 25
            case "branch":
                low = (imm >> 1 & 0xF) << 8 | (imm >> 11 & 1) << 7
                high = (imm >> 5 & 0x3F) << 25 | (imm >> 12 & 1) << 31
                return word | low | rs2 << 20 | high
        raise ValueError(f"{self.mnemonic}: no format {self.format}")


def _parse(row: str) -> Instruction:
    mnemonic, extensions, xlens, form, opcode, funct3, upper = row.split()
    return Instruction(
        mnemonic,
        frozenset(extensions.split(",")),
        frozenset(int(xlen) for xlen in xlens.split(",")),
        form,
        int(opcode, 16),
        int(funct3, 16),
        int(upper, 16),
    )


INSTRUCTIONS = tuple(_parse(row) for row in _TABLE.strip().splitlines())
EXTENSIONS = tuple(sorted({name for row in INSTRUCTIONS for name in row.extensions} | {"c", "zcb", "zcmop"}))


def available(xlen: int, extensions: frozenset[str]) -> tuple[Instruction, ...]:
    """The instructions of RV32 or RV64 with these extensions, ``i`` among them."""
    return tuple(row for row in INSTRUCTIONS if xlen in row.xlens and row.extensions & extensions)


def named(xlen: int, mnemonic: str) -> Instruction:
    """The instruction of that name."""
    return next(row for row in INSTRUCTIONS if row.mnemonic == mnemonic and xlen in row.xlens)
