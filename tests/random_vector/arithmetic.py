"""Encodings of the vector instructions that leave memory alone, from the RISC-V manual.

A row is: name, extensions that have it (any of), funct6, category, forms, operands vd, vs2 and vs1, mask
and rules; numbers are hexadecimal.

- Category: ``i`` (OPIVV, OPIVX, OPIVI), ``m`` (OPMVV, OPMVX), ``f`` (OPFVV, OPFVF) or ``k`` (OP-VE).
- Forms: suffixes, each an instruction; its second letter says what vs1 is (``v`` as the column says, ``x``
  a scalar register, ``f`` a floating-point one, ``i`` an immediate). After a dash, the name is complete and the
  letter is the same.
- Operands: see ``instruction.Kind``; ``=n`` is a field fixed to n. After a slash, the immediate's kind.
- Mask: ``.`` either, ``0`` always masked (or v0 as carry or selector), ``1`` never.
- Rules: see ``instruction.Instruction``.
"""

from __future__ import annotations

from .instruction import OP_V, OP_VE, Instruction

_TABLE = """
vadd        v      00 i vv,vx,vi    1 1 1/i .
vsub        v      02 i vv,vx       1 1 1   .
vrsub       v      03 i vx,vi       1 1 1/i .
vminu       v      04 i vv,vx       1 1 1   .
vmin        v      05 i vv,vx       1 1 1   .
vmaxu       v      06 i vv,vx       1 1 1   .
vmax        v      07 i vv,vx       1 1 1   .
vand        v      09 i vv,vx,vi    1 1 1/i .
vor         v      0a i vv,vx,vi    1 1 1/i .
vxor        v      0b i vv,vx,vi    1 1 1/i .
vrgather    v      0c i vv,vx,vi    1 1 1/u . apart
vrgatherei16 v     0e i vv          1 1 h   . apart
vslideup    v      0e i vx,vi       1 1 1/u . apart
vslidedown  v      0f i vx,vi       1 1 1/u .
vadc        v      10 i vvm,vxm,vim 1 1 1/i 0
vmadc       v      11 i vvm,vxm,vim m 1 1/i 0
vmadc       v      11 i vv,vx,vi    m 1 1/i 1
vsbc        v      12 i vvm,vxm     1 1 1   0
vmsbc       v      13 i vvm,vxm     m 1 1   0
vmsbc       v      13 i vv,vx       m 1 1   1
vmerge      v      17 i vvm,vxm,vim 1 1 1/i 0
vmv.v.v     v      17 i -v          1 =0 1  1
vmv.v.x     v      17 i -x          1 =0 x  1
vmv.v.i     v      17 i -i          1 =0 i  1
vmseq       v      18 i vv,vx,vi    m 1 1/i .
vmsne       v      19 i vv,vx,vi    m 1 1/i .
vmsltu      v      1a i vv,vx       m 1 1   .
vmslt       v      1b i vv,vx       m 1 1   .
vmsleu      v      1c i vv,vx,vi    m 1 1/i .
vmsle       v      1d i vv,vx,vi    m 1 1/i .
vmsgtu      v      1e i vx,vi       m 1 1/i .
vmsgt       v      1f i vx,vi       m 1 1/i .
vsaddu      v      20 i vv,vx,vi    1 1 1/i .
vsadd       v      21 i vv,vx,vi    1 1 1/i .
vssubu      v      22 i vv,vx       1 1 1   .
vssub       v      23 i vv,vx       1 1 1   .
vsll        v      25 i vv,vx,vi    1 1 1/u .
vsmul       v      27 i vv,vx       1 1 1   . full
vmv1r.v     v      27 i -i          n1 n1 =0 1
vmv2r.v     v      27 i -i          n2 n2 =1 1
vmv4r.v     v      27 i -i          n4 n4 =3 1
vmv8r.v     v      27 i -i          n8 n8 =7 1
vsrl        v      28 i vv,vx,vi    1 1 1/u .
vsra        v      29 i vv,vx,vi    1 1 1/u .
vssrl       v      2a i vv,vx,vi    1 1 1/u .
vssra       v      2b i vv,vx,vi    1 1 1/u .
vnsrl       v      2c i wv,wx,wi    1 2 1/u .
vnsra       v      2d i wv,wx,wi    1 2 1/u .
vnclipu     v      2e i wv,wx,wi    1 2 1/u .
vnclip      v      2f i wv,wx,wi    1 2 1/u .
vwredsumu   v      30 i vs          S 1 S   . fresh
vwredsum    v      31 i vs          S 1 S   . fresh
vredsum     v      00 m vs          s 1 s   . fresh
vredand     v      01 m vs          s 1 s   . fresh
vredor      v      02 m vs          s 1 s   . fresh
vredxor     v      03 m vs          s 1 s   . fresh
vredminu    v      04 m vs          s 1 s   . fresh
vredmin     v      05 m vs          s 1 s   . fresh
vredmaxu    v      06 m vs          s 1 s   . fresh
vredmax     v      07 m vs          s 1 s   . fresh
vaaddu      v      08 m vv,vx       1 1 1   .
vaadd       v      09 m vv,vx       1 1 1   .
vasubu      v      0a m vv,vx       1 1 1   .
vasub       v      0b m vv,vx       1 1 1   .
vslide1up   v      0e m vx          1 1 1   . apart
vslide1down v      0f m vx          1 1 1   .
vmv.x.s     v      10 m -v          x s =0  1
vcpop.m     v      10 m -v          x m =10 . fresh
vfirst.m    v      10 m -v          x m =11 . fresh
vmv.s.x     v      10 m -x          s =0 x  1
vzext.vf8   v      12 m -v          1 f8 =2 .
vsext.vf8   v      12 m -v          1 f8 =3 .
vzext.vf4   v      12 m -v          1 f4 =4 .
vsext.vf4   v      12 m -v          1 f4 =5 .
vzext.vf2   v      12 m -v          1 f2 =6 .
vsext.vf2   v      12 m -v          1 f2 =7 .
vmsbf.m     v      14 m -v          m m =1  . apart fresh
vmsof.m     v      14 m -v          m m =2  . apart fresh
vmsif.m     v      14 m -v          m m =3  . apart fresh
viota.m     v      14 m -v          1 m =10 . apart fresh
vid.v       v      14 m -v          1 =0 =11 .
vcompress   v      17 m vm          1 1 m   1 apart fresh
vmandn      v      18 m mm          m m m   1
vmand       v      19 m mm          m m m   1
vmor        v      1a m mm          m m m   1
vmxor       v      1b m mm          m m m   1
vmorn       v      1c m mm          m m m   1
vmnand      v      1d m mm          m m m   1
vmnor       v      1e m mm          m m m   1
vmxnor      v      1f m mm          m m m   1
vdivu       v      20 m vv,vx       1 1 1   .
vdiv        v      21 m vv,vx       1 1 1   .
vremu       v      22 m vv,vx       1 1 1   .
vrem        v      23 m vv,vx       1 1 1   .
vmulhu      v      24 m vv,vx       1 1 1   . full
vmul        v      25 m vv,vx       1 1 1   .
vmulhsu     v      26 m vv,vx       1 1 1   . full
vmulh       v      27 m vv,vx       1 1 1   . full
vmadd       v      29 m vv,vx       1 1 1   .
vnmsub      v      2b m vv,vx       1 1 1   .
vmacc       v      2d m vv,vx       1 1 1   .
vnmsac      v      2f m vv,vx       1 1 1   .
vwaddu      v      30 m vv,vx       2 1 1   .
vwadd       v      31 m vv,vx       2 1 1   .
vwsubu      v      32 m vv,vx       2 1 1   .
vwsub       v      33 m vv,vx       2 1 1   .
vwaddu      v      34 m wv,wx       2 2 1   .
vwadd       v      35 m wv,wx       2 2 1   .
vwsubu      v      36 m wv,wx       2 2 1   .
vwsub       v      37 m wv,wx       2 2 1   .
vwmulu      v      38 m vv,vx       2 1 1   .
vwmulsu     v      3a m vv,vx       2 1 1   .
vwmul       v      3b m vv,vx       2 1 1   .
vwmaccu     v      3c m vv,vx       2 1 1   . accumulates
vwmacc      v      3d m vv,vx       2 1 1   . accumulates
vwmaccus    v      3e m vx          2 1 1   . accumulates
vwmaccsu    v      3f m vv,vx       2 1 1   . accumulates
vandn       zvbb,zvkb 01 i vv,vx    1 1 1   .
vbrev.v     zvbb   12 m -v          1 1 =a  .
vbrev8.v    zvbb,zvkb 12 m -v       1 1 =8  .
vrev8.v     zvbb,zvkb 12 m -v       1 1 =9  .
vclz.v      zvbb   12 m -v          1 1 =c  .
vctz.v      zvbb   12 m -v          1 1 =d  .
vcpop.v     zvbb   12 m -v          1 1 =e  .
vrol        zvbb,zvkb 15 i vv,vx    1 1 1   .
vror        zvbb,zvkb 14 i vv,vx,vi 1 1 1/w .
vwsll       zvbb   35 i vv,vx,vi    2 1 1/u .
vclmul      zvbc   0c m vv,vx       1 1 1   . sew64
vclmulh     zvbc   0d m vv,vx       1 1 1   . sew64
vghsh.vv    zvkg   2c k -v          1 1 1   1 groups4
vgmul.vv    zvkg   28 k -v          1 1 =11 1 groups4
vaesdm.vv   zvkned 28 k -v          1 1 =0  1 groups4
vaesdf.vv   zvkned 28 k -v          1 1 =1  1 groups4
vaesem.vv   zvkned 28 k -v          1 1 =2  1 groups4
vaesef.vv   zvkned 28 k -v          1 1 =3  1 groups4
vaesdm.vs   zvkned 29 k -v          1 g =0  1 groups4 apart
vaesdf.vs   zvkned 29 k -v          1 g =1  1 groups4 apart
vaesem.vs   zvkned 29 k -v          1 g =2  1 groups4 apart
vaesef.vs   zvkned 29 k -v          1 g =3  1 groups4 apart
vaesz.vs    zvkned 29 k -v          1 g =7  1 groups4 apart
vaeskf1.vi  zvkned 22 k -v          1 1 u   1 groups4
vaeskf2.vi  zvkned 2a k -v          1 1 u   1 groups4
vsha2ms.vv  zvknha,zvknhb 2d k -v   1 1 1   1 sha2 apart
vsha2ch.vv  zvknha,zvknhb 2e k -v   1 1 1   1 sha2 apart
vsha2cl.vv  zvknha,zvknhb 2f k -v   1 1 1   1 sha2 apart
vsm4k.vi    zvksed 21 k -v          1 1 u   1 groups4
vsm4r.vv    zvksed 28 k -v          1 1 =10 1 groups4
vsm4r.vs    zvksed 29 k -v          1 g =10 1 groups4 apart
vsm3me.vv   zvksh  20 k -v          1 1 1   1 groups8 apart2
vsm3c.vi    zvksh  2b k -v          1 1 u   1 groups8 apart
"""

_FUNCT3 = {"iv": 0, "ix": 4, "ii": 3, "mv": 2, "mx": 6, "kv": 2, "fv": 1, "ff": 5}


def parse(row: str) -> list[Instruction]:
    """The instructions of a row, one for each form."""
    name, extensions, funct6, category, forms, vd, vs2, vs1, mask, *rules = row.split()
    vector, _, immediate = vs1.partition("/")
    parsed = []
    for form in forms.split(","):
        letter = form[1]
        if letter in "sm":
            letter = "v"
        kind = vector if form[0] == "-" else {"v": vector, "x": "x", "f": "f", "i": immediate}[letter]
        mnemonic = name if form[0] == "-" else f"{name}.{form}"
        match = (OP_VE if category == "k" else OP_V) | _FUNCT3[category + letter] << 12 | int(funct6, 16) << 26
        operands = {}
        for field, shift, text in (("vd", 7, vd), ("vs2", 20, vs2), ("vs1", 15, kind)):
            if text.startswith("="):
                match |= int(text[1:], 16) << shift
            else:
                operands[field] = text
        provided = frozenset(extensions.split(","))
        parsed.append(Instruction(mnemonic, provided, match, operands, mask.strip("."), frozenset(rules)))
    return parsed


ARITHMETIC = tuple(instruction for row in _TABLE.strip().splitlines() for instruction in parse(row))
