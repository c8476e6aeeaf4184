"""Encodings of the vector floating-point instructions, from the RISC-V manual; rows are those of ``arithmetic``."""

from __future__ import annotations

from .arithmetic import parse

_TABLE = """
vfadd        zve32f 00 f vv,vf   1 1 1 . f1
vfredusum    zve32f 01 f vs      s 1 s . f1 fresh
vfsub        zve32f 02 f vv,vf   1 1 1 . f1
vfredosum    zve32f 03 f vs      s 1 s . f1 fresh
vfmin        zve32f 04 f vv,vf   1 1 1 . f1
vfredmin     zve32f 05 f vs      s 1 s . f1 fresh
vfmax        zve32f 06 f vv,vf   1 1 1 . f1
vfredmax     zve32f 07 f vs      s 1 s . f1 fresh
vfsgnj       zve32f 08 f vv,vf   1 1 1 . f1
vfsgnjn      zve32f 09 f vv,vf   1 1 1 . f1
vfsgnjx      zve32f 0a f vv,vf   1 1 1 . f1
vfslide1up   zve32f 0e f vf      1 1 1 . f1 apart
vfslide1down zve32f 0f f vf      1 1 1 . f1
vfmv.f.s     zve32f 10 f -v      f s =0 1 f1
vfmv.s.f     zve32f 10 f -f      s =0 f 1 f1
vfcvt.xu.f.v zve32f 12 f -v      1 1 =0 . f1
vfcvt.x.f.v  zve32f 12 f -v      1 1 =1 . f1
vfcvt.f.xu.v zve32f 12 f -v      1 1 =2 . f1
vfcvt.f.x.v  zve32f 12 f -v      1 1 =3 . f1
vfcvt.rtz.xu.f.v zve32f 12 f -v  1 1 =6 . f1
vfcvt.rtz.x.f.v zve32f 12 f -v   1 1 =7 . f1
vfwcvt.xu.f.v zve32f 12 f -v     2 1 =8 . f1
vfwcvt.x.f.v zve32f 12 f -v      2 1 =9 . f1
vfwcvt.f.xu.v zve32f 12 f -v     2 1 =a . f2
vfwcvt.f.x.v zve32f 12 f -v      2 1 =b . f2
vfwcvt.f.f.v zve32f 12 f -v      2 1 =c . f1 f2 conversion
vfwcvt.rtz.xu.f.v zve32f 12 f -v 2 1 =e . f1
vfwcvt.rtz.x.f.v zve32f 12 f -v  2 1 =f . f1
vfncvt.xu.f.w zve32f 12 f -v     1 2 =10 . f2
vfncvt.x.f.w zve32f 12 f -v      1 2 =11 . f2
vfncvt.f.xu.w zve32f 12 f -v     1 2 =12 . f1
vfncvt.f.x.w zve32f 12 f -v      1 2 =13 . f1
vfncvt.f.f.w zve32f 12 f -v      1 2 =14 . f1 f2 conversion
vfncvt.rod.f.f.w zve32f 12 f -v  1 2 =15 . f1 f2
vfncvt.rtz.xu.f.w zve32f 12 f -v 1 2 =16 . f2
vfncvt.rtz.x.f.w zve32f 12 f -v  1 2 =17 . f2
vfsqrt.v     zve32f 13 f -v      1 1 =0 . f1
vfrsqrt7.v   zve32f 13 f -v      1 1 =4 . f1
vfrec7.v     zve32f 13 f -v      1 1 =5 . f1
vfclass.v    zve32f 13 f -v      1 1 =10 . f1
vfmerge.vfm  zve32f 17 f -f      1 1 f 0 f1
vfmv.v.f     zve32f 17 f -f      1 =0 f 1 f1
vmfeq        zve32f 18 f vv,vf   m 1 1 . f1
vmfle        zve32f 19 f vv,vf   m 1 1 . f1
vmflt        zve32f 1b f vv,vf   m 1 1 . f1
vmfne        zve32f 1c f vv,vf   m 1 1 . f1
vmfgt        zve32f 1d f vf      m 1 1 . f1
vmfge        zve32f 1f f vf      m 1 1 . f1
vfdiv        zve32f 20 f vv,vf   1 1 1 . f1
vfrdiv       zve32f 21 f vf      1 1 1 . f1
vfmul        zve32f 24 f vv,vf   1 1 1 . f1
vfrsub       zve32f 27 f vf      1 1 1 . f1
vfmadd       zve32f 28 f vv,vf   1 1 1 . f1
vfnmadd      zve32f 29 f vv,vf   1 1 1 . f1
vfmsub       zve32f 2a f vv,vf   1 1 1 . f1
vfnmsub      zve32f 2b f vv,vf   1 1 1 . f1
vfmacc       zve32f 2c f vv,vf   1 1 1 . f1
vfnmacc      zve32f 2d f vv,vf   1 1 1 . f1
vfmsac       zve32f 2e f vv,vf   1 1 1 . f1
vfnmsac      zve32f 2f f vv,vf   1 1 1 . f1
vfwadd       zve32f 30 f vv,vf   2 1 1 . f1 f2
vfwredusum   zve32f 31 f vs      S 1 S . f1 f2 fresh
vfwsub       zve32f 32 f vv,vf   2 1 1 . f1 f2
vfwredosum   zve32f 33 f vs      S 1 S . f1 f2 fresh
vfwadd       zve32f 34 f wv,wf   2 2 1 . f1 f2
vfwsub       zve32f 36 f wv,wf   2 2 1 . f1 f2
vfwmul       zve32f 38 f vv,vf   2 1 1 . f1 f2
vfwmacc      zve32f 3c f vv,vf   2 1 1 . f1 f2 accumulates
vfwnmacc     zve32f 3d f vv,vf   2 1 1 . f1 f2 accumulates
vfwmsac      zve32f 3e f vv,vf   2 1 1 . f1 f2 accumulates
vfwnmsac     zve32f 3f f vv,vf   2 1 1 . f1 f2 accumulates
vfwcvtbf16.f.f.v zvfbfmin 12 f -v 2 1 =d . bf16
vfncvtbf16.f.f.w zvfbfmin 12 f -v 1 2 =1d . bf16
vfwmaccbf16  zvfbfwma 3b f vv,vf 2 1 1 . bf16 accumulates
"""

FLOATING = tuple(instruction for row in _TABLE.strip().splitlines() for instruction in parse(row))
