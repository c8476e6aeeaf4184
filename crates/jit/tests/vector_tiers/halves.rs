//! Instructions on numbers of binary16, one after the other, with each of the flags raised before or not: all numbers, all pairs
//! of those at which something begins or ends, and sums with products that are next to the middle of two numbers.

use engine::{Blind, Limits, Machine, Program};
use hart::AgnosticFill;
use hart::csr::Clock;
use jit::Jit;

use crate::guest::{BASE, Screen, encode, program};
use crate::half_numbers::{CORNERS, Numbers, TIES, operands, wide};
use crate::numbers::randoms;
use crate::{Setup, rounds};

/// With a form; what follows tells what its second operand is.
pub type Instructions = &'static [&'static str];

pub const ARITHMETIC: Instructions = &[
    "VFADD__VV",
    "VFADD__VF",
    "VFSUB__VV",
    "VFSUB__VF",
    "VFRSUB__VF",
    "VFMUL__VV",
    "VFMUL__VF",
    "VFDIV__VV",
    "VFDIV__VF",
    "VFRDIV__VF",
    "VFSQRT__V",
    "VFREC7__V",
    "VFRSQRT7__V",
    "VFCLASS__V",
    "VFSGNJ__VV",
    "VFSGNJ__VF",
    "VFSGNJN__VV",
    "VFSGNJN__VF",
    "VFSGNJX__VV",
    "VFSGNJX__VF",
];
pub const FUSED: Instructions = &[
    "VFMACC__VV",
    "VFMACC__VF",
    "VFNMACC__VV",
    "VFNMACC__VF",
    "VFMSAC__VV",
    "VFMSAC__VF",
    "VFNMSAC__VV",
    "VFNMSAC__VF",
    "VFMADD__VV",
    "VFMADD__VF",
    "VFNMADD__VV",
    "VFNMADD__VF",
    "VFMSUB__VV",
    "VFMSUB__VF",
    "VFNMSUB__VV",
    "VFNMSUB__VF",
];
pub const COMPARED: Instructions = &[
    "VMFEQ__VV",
    "VMFEQ__VF",
    "VMFNE__VV",
    "VMFNE__VF",
    "VMFLT__VV",
    "VMFLT__VF",
    "VMFLE__VV",
    "VMFLE__VF",
    "VMFGT__VF",
    "VMFGE__VF",
    "VFMIN__VV",
    "VFMIN__VF",
    "VFMAX__VV",
    "VFMAX__VF",
    "VFREDMIN__VS",
    "VFREDMAX__VS",
    "VFREDUSUM__VS",
    "VFREDOSUM__VS",
    "VFMERGE__VFM",
    "VFSLIDE1UP__VF",
    "VFSLIDE1DOWN__VF",
    "VFMV__V__F",
];
pub const CONVERTED: Instructions = &[
    "VFCVT__XU__F__V",
    "VFCVT__X__F__V",
    "VFCVT__RTZ__XU__F__V",
    "VFCVT__RTZ__X__F__V",
    "VFCVT__F__XU__V",
    "VFCVT__F__X__V",
    "VFNCVT__XU__F__W",
    "VFNCVT__X__F__W",
    "VFNCVT__RTZ__XU__F__W",
    "VFNCVT__RTZ__X__F__W",
    "VFNCVT__F__XU__W",
    "VFNCVT__F__X__W",
    "VFNCVT__F__F__W",
    "VFNCVT__ROD__F__F__W",
    "VFNCVTBF16__F__F__W",
];
pub const WIDER: Instructions = &[
    "VFWADD__VV",
    "VFWADD__VF",
    "VFWSUB__VV",
    "VFWSUB__VF",
    "VFWADD__WV",
    "VFWADD__WF",
    "VFWSUB__WV",
    "VFWSUB__WF",
    "VFWMUL__VV",
    "VFWMUL__VF",
    "VFWMACC__VV",
    "VFWMACC__VF",
    "VFWNMACC__VV",
    "VFWNMACC__VF",
    "VFWMSAC__VV",
    "VFWMSAC__VF",
    "VFWNMSAC__VV",
    "VFWNMSAC__VF",
    "VFWREDUSUM__VS",
    "VFWREDOSUM__VS",
    "VFWCVT__XU__F__V",
    "VFWCVT__X__F__V",
    "VFWCVT__RTZ__XU__F__V",
    "VFWCVT__RTZ__X__F__V",
    "VFWCVT__F__XU__V",
    "VFWCVT__F__X__V",
    "VFWCVT__F__F__V",
    "VFWCVTBF16__F__F__V",
    "VFWMACCBF16__VV",
    "VFWMACCBF16__VF",
];
/// With elements of 8 bits.
pub const BYTES: Instructions =
    &["VFNCVT__XU__F__W", "VFNCVT__X__F__W", "VFNCVT__RTZ__XU__F__W", "VFNCVT__RTZ__X__F__W"];
pub const OF_BYTES: Instructions = &["VFWCVT__F__XU__V", "VFWCVT__F__X__V"];

/// Registers with the flags before an instruction, and with those after it.
const FLAGS: i64 = 31;
const FFLAGS: i64 = 1;
const FRM: u64 = 2;
/// Where operands are that are twice as wide, and others, and what instructions write from.
const WIDE: i64 = 4;
const A: i64 = 8;
const B: i64 = 10;
const FIRST: i64 = 12;

/// A loop of one round of instructions.
struct Rounds<'p> {
    program: &'p Program,
    names: &'p [&'static str],
    sew: u32,
    lmul: i64,
    vlen: u32,
    masked: bool,
    fill: AgnosticFill,
}

impl Rounds<'_> {
    /// Registers of a group.
    fn group(&self) -> i64 {
        if self.lmul > 0 { 1 << self.lmul } else { 1 }
    }

    fn words(&self) -> Vec<u32> {
        let op = |name: &str, fields: &[(&str, i64)]| encode(self.program.module(), name, fields);
        let vtype = 0xc0 | i64::from(self.sew) << 3 | self.lmul & 7;
        let flags = |rd: i64| op("CSRRW", &[("rd", rd), ("csr", FFLAGS), ("rs1", FLAGS)]);
        let mut words = vec![op("VSETVLI", &[("rd", 0), ("rs1", 30), ("zimm", vtype)]), flags(0)];
        let is_wide = self.names.iter().any(|name| name.starts_with("VFW"));
        let each = self.group() << i64::from(is_wide);
        for (&name, number) in self.names.iter().zip(0..) {
            let a = if name.contains("__W") { WIDE } else { A };
            let mut fields = vec![("vd", FIRST + each * number)];
            if !(name.starts_with("VFMERGE") || name.starts_with("VFMV")) {
                fields.push(("vm", i64::from(!self.masked)));
            }
            if !name.starts_with("VFMV") {
                fields.push(("vs2", a));
            }
            match name.rsplit("__").next() {
                Some("VV" | "WV" | "VS") => fields.push(("vs1", B)),
                Some("VF" | "WF" | "VFM") => fields.push(("rs1", B)),
                Some("F") if name.starts_with("VFMV") => fields.push(("rs1", B)),
                _ => {}
            }
            words.extend([op(name, &fields), flags(1 + number)]);
        }
        words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
        words
    }

    /// The vector registers of a round, which begins at a place.
    fn lanes(&self, numbers: Numbers, first: usize, seed: u64) -> Vec<u8> {
        let vlenb = self.vlen as usize / 8;
        let mut lanes = vec![0; 32 * vlenb];
        let count = 4 * vlenb / 2;
        for (index, random) in randoms(seed).take(count).enumerate() {
            let place = first + index;
            let [a, b, d] = operands(numbers, place, random);
            let mut put = |register: i64, bits: u64, bytes: usize| {
                let at = register as usize * vlenb + index * bytes;
                if let Some(target) = lanes.get_mut(at..at + bytes) {
                    target.copy_from_slice(&bits.to_le_bytes()[..bytes]);
                }
            };
            if index < vlenb {
                put(A, a, 2);
                put(B, b, 2);
                if self.sew == 0 { put(WIDE, a, 2) } else { put(WIDE, wide(a, random), 4) }
            }
            put(0, random >> 20, 2);
            let is_wide = self.names.iter().any(|name| name.starts_with("VFW"));
            for (number, register) in (FIRST..32).enumerate() {
                let index_in = number as u64 * 7 + random;
                if index >= vlenb / 2 {
                    continue;
                }
                if is_wide && index < vlenb / 4 {
                    let [a, _, _] = operands(numbers, place + number, random.rotate_left(number as u32));
                    put(register, wide(a, index_in), 4);
                } else if !is_wide {
                    let d = if numbers == Numbers::Ties { d } else { d.rotate_left(0) };
                    put(register, d, 2);
                }
            }
        }
        lanes
    }

    fn check(&self, numbers: Numbers, count: usize) {
        let setup = Setup { vlen: self.vlen, fill: self.fill, ..Setup::new(self.program, self.words()) };
        let length = setup.words.len() as u64;
        let (mut interpreted, mut compiled) = (setup.machine(), setup.machine());
        compiled.set_compiler(Box::new(rounds::Strict(Jit::new().after(1))));
        let vlenb = self.vlen as usize / 8;
        let bytes = if self.lmul < 0 { vlenb >> -self.lmul } else { vlenb << self.lmul };
        let lanes_each = (bytes >> self.sew).min(vlenb);
        let mut random = randoms(u64::from(self.vlen) * 77 + count as u64 + u64::from(self.masked));
        let mut below = |bound: u64| (random.next().unwrap_or(0) >> 20) % bound;
        for (round, first) in (0..count).step_by(lanes_each).enumerate() {
            // Most of the time the inexact flag is raised, and others are or not.
            let flags = if below(3) == 0 { below(32) } else { below(32) | 1 };
            let frm = if below(12) == 0 { below(5) } else { 0 };
            let lanes = self.lanes(numbers, first, below(1 << 40));
            let place = below(1 << 20) as usize;
            let [_, scalar, _] = operands(numbers, place, below(1 << 43) << 20 | below(1 << 20));
            let scalar = if below(9) == 0 { scalar } else { scalar | !0xffff };
            let is_whole = numbers == Numbers::All || below(3) > 0;
            let wanted = if is_whole { 1024 } else { below(2 * lanes_each as u64) };
            let prepare = |machine: &mut Machine<'_>| {
                let hart = &mut machine.hart;
                for (register, bytes) in lanes.chunks_exact(vlenb).enumerate() {
                    hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                hart.float.set_raw(B as u32, scalar);
                hart.set_x(FLAGS as u16, flags);
                hart.set_x(30, wanted);
                hart.write_csr(FRM, frm, Clock::default()).expect("a writable register");
                let limits = Limits { instructions: Some(length * (round as u64 + 1)) };
                machine.run(limits, &mut Blind, &mut Screen::default());
                assert_eq!(machine.hart.pc().0, BASE);
            };
            prepare(&mut interpreted);
            prepare(&mut compiled);
            setup.assert_same_state(&mut interpreted, &mut compiled);
        }
    }
}

/// Tries instructions in programs that have registers for all of their results.
fn check(sew: u32, names: Instructions, cases: &[(Numbers, usize)]) {
    let programs = ["rv64gcv_zvfh_zvfbfwma", "rv32gcv_zvfh_zvfbfwma"].map(program);
    let shapes = [
        (128, 0, false),
        (1024, 0, true),
        (128, -1, false),
        (256, -2, true),
        (512, 1, false),
        (128, 1, true),
    ];
    for (index, (vlen, lmul, masked)) in shapes.into_iter().enumerate() {
        let is_wide = names.iter().any(|name| name.starts_with("VFW"));
        let group = (1_usize << lmul.max(0)) << usize::from(is_wide);
        let fill = [AgnosticFill::Undisturbed, AgnosticFill::Ones][usize::from(index % 3 == 2)];
        for names in names.chunks(20 / group) {
            let program = &programs[usize::from(index == 3)];
            let rounds = Rounds { program, names, sew, lmul, vlen, masked, fill };
            for &(numbers, count) in cases {
                rounds.check(numbers, count);
            }
        }
    }
}

const PAIRS: (Numbers, usize) = (Numbers::Pairs, 4 * CORNERS.len() * CORNERS.len());
const ALL: (Numbers, usize) = (Numbers::All, 0x1_0000);
const ANY: (Numbers, usize) = (Numbers::Any, 8_000);
const NEAR: (Numbers, usize) = (Numbers::Near, 8_000);
const MIDDLES: (Numbers, usize) = (Numbers::Ties, TIES.len() * TIES.len() * TIES.len());

#[test]
fn arithmetic() {
    check(1, ARITHMETIC, &[PAIRS, ANY, NEAR]);
}

#[test]
fn sums_with_products() {
    check(1, FUSED, &[PAIRS, ANY, NEAR, MIDDLES]);
}

#[test]
fn comparisons_and_reductions() {
    check(1, COMPARED, &[PAIRS, ANY, NEAR]);
}

#[test]
fn wider_results() {
    check(1, WIDER, &[PAIRS, ANY, NEAR]);
}

#[test]
fn conversions() {
    check(1, CONVERTED, &[PAIRS, ANY, NEAR]);
    check(0, BYTES, &[PAIRS, ANY, NEAR]);
    check(0, OF_BYTES, &[ANY]);
}

#[test]
fn all_numbers() {
    let programs = ["rv64gcv_zvfh_zvfbfwma"].map(program);
    let unary =
        ["VFSQRT__V", "VFREC7__V", "VFRSQRT7__V", "VFCLASS__V", "VFMUL__VV", "VFADD__VF", "VFDIV__VF"];
    let conversions = &CONVERTED[..6];
    let wider: Vec<&'static str> = WIDER.iter().copied().filter(|name| name.starts_with("VFWCVT")).collect();
    for (sew, names) in [(1, &unary[..]), (1, conversions), (1, &wider), (0, BYTES)] {
        let program = &programs[0];
        let fill = AgnosticFill::Undisturbed;
        let rounds = Rounds { program, names, sew, lmul: 0, vlen: 1024, masked: false, fill };
        rounds.check(ALL.0, ALL.1);
    }
}
