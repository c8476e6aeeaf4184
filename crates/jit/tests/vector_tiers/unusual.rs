//! Arithmetic on elements and on those half as wide, their conversion to half of their bits, sums, comparisons and minima, of
//! which one or a few give no normal numbers, or have NaNs, where each of the flags is raised before or not: the host's results
//! are then the unit's, or they are not.

use engine::{Blind, Limits, Machine, Program};
use hart::AgnosticFill;
use hart::csr::Clock;
use jit::Jit;

use crate::guest::{BASE, Screen, encode, program};
use crate::numbers::{FORMATS, Format, Kind, randoms};
use crate::{Setup, rounds};

/// With a form, and whether they have a second operand.
type Instructions = &'static [(&'static str, Option<&'static str>)];

const ALL: Instructions = &[
    ("VFADD__VV", VECTOR),
    ("VFSUB__VF", REGISTER),
    ("VFRSUB__VF", REGISTER),
    ("VFMUL__VV", VECTOR),
    ("VFMUL__VF", REGISTER),
    ("VFDIV__VV", VECTOR),
    ("VFDIV__VF", REGISTER),
    ("VFRDIV__VF", REGISTER),
    ("VFSQRT__V", None),
    ("VFMACC__VV", VECTOR),
    ("VFNMACC__VF", REGISTER),
    ("VFMSAC__VV", VECTOR),
    ("VFNMSAC__VF", REGISTER),
    ("VFMADD__VV", VECTOR),
    ("VFNMADD__VF", REGISTER),
    ("VFMSUB__VV", VECTOR),
    ("VFNMSUB__VF", REGISTER),
    ("VFNCVT__F__F__W", None),
    ("VFNCVT__ROD__F__F__W", None),
    ("VFSLIDE1UP__VF", REGISTER),
    ("VFSLIDE1DOWN__VF", REGISTER),
];
const COMPARED: Instructions = &[
    ("VFMIN__VV", VECTOR),
    ("VFMIN__VF", REGISTER),
    ("VFMAX__VV", VECTOR),
    ("VFMAX__VF", REGISTER),
    ("VMFEQ__VV", VECTOR),
    ("VMFNE__VF", REGISTER),
    ("VMFLT__VV", VECTOR),
    ("VMFLT__VF", REGISTER),
    ("VMFLE__VV", VECTOR),
    ("VMFGT__VF", REGISTER),
    ("VMFGE__VF", REGISTER),
    ("VFREDUSUM__VS", VECTOR),
    ("VFREDOSUM__VS", VECTOR),
    ("VFREDMIN__VS", VECTOR),
    ("VFWREDUSUM__VS", VECTOR),
    ("VFWREDOSUM__VS", VECTOR),
];
const WIDER: Instructions = &[
    ("VFWADD__VV", VECTOR),
    ("VFWSUB__VF", REGISTER),
    ("VFWADD__WF", REGISTER),
    ("VFWSUB__WV", VECTOR),
    ("VFWMUL__VV", VECTOR),
    ("VFWMUL__VF", REGISTER),
    ("VFWMACC__VV", VECTOR),
    ("VFWNMACC__VF", REGISTER),
    ("VFWMSAC__VF", REGISTER),
    ("VFWNMSAC__VV", VECTOR),
];
const VECTOR: Option<&str> = Some("vs1");
const REGISTER: Option<&str> = Some("rs1");
/// Registers with the flags before an instruction, and with those after it.
const FLAGS: i64 = 31;
const FFLAGS: i64 = 1;
const FRM: u64 = 2;
/// Where operands are, such as are twice as wide, and what instructions write from.
const WIDE: i64 = 6;
const A: i64 = 8;
const B: i64 = 10;
const FIRST: i64 = 11;

/// A loop of one round of all of these instructions that there are of elements of SEW.
struct Rounds<'p> {
    program: &'p Program,
    all: Instructions,
    sew: u32,
    vlen: u32,
    masked: bool,
    fill: AgnosticFill,
}

impl Rounds<'_> {
    fn words(&self) -> Vec<u32> {
        let op = |name: &str, fields: &[(&str, i64)]| encode(self.program.module(), name, fields);
        let vtype = 0xc0 | i64::from(self.sew) << 3;
        let flags = |rd: i64| op("CSRRW", &[("rd", rd), ("csr", FFLAGS), ("rs1", FLAGS)]);
        let mut words = vec![op("VSETVLI", &[("rd", 0), ("rs1", 30), ("zimm", vtype)]), flags(0)];
        let is_one = |name: &str| self.sew == 2 || !(name.starts_with("VFNCVT") || name.starts_with("VFW"));
        // Those that write twice as much write to pairs.
        let (first, each) = if self.all == WIDER { (FIRST + 1, 2) } else { (FIRST, 1) };
        for (&(name, second), number) in self.all.iter().filter(|(name, _)| is_one(name)).zip(0..) {
            let (d, vm) = (first + each * number, i64::from(!self.masked));
            let a = if name.contains("__W") { WIDE } else { A };
            let mut fields = vec![("vd", d), ("vs2", a), ("vm", vm)];
            fields.extend(second.map(|second| (second, B)));
            words.extend([op(name, &fields), flags(1 + number)]);
        }
        words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
        words
    }

    /// Registers of numbers of one kind, but for some of another.
    fn lanes(&self, kinds: [Kind; 2], seed: u64) -> Vec<u8> {
        let vlenb = self.vlen as usize / 8;
        let kind = |random: u64| kinds[usize::from(random >> 32 & 7 == 3)];
        let number =
            |random| self.format().number(kind(random), random).to_le_bytes()[..1 << self.sew].to_vec();
        let mut lanes: Vec<u8> = randoms(seed).take((32 * vlenb) >> self.sew).flat_map(number).collect();
        let doubles = randoms(seed + 5).take(2 * vlenb / 8);
        let doubles: Vec<u8> =
            doubles.flat_map(|random| near_single(kind(random), random).to_le_bytes()).collect();
        lanes[WIDE as usize * vlenb..][..2 * vlenb].copy_from_slice(&doubles);
        lanes
    }

    fn format(&self) -> Format {
        FORMATS[usize::from(self.sew == 3)]
    }

    fn check(&self) {
        let setup = Setup { vlen: self.vlen, fill: self.fill, ..Setup::new(self.program, self.words()) };
        let length = setup.words.len() as u64;
        let (mut interpreted, mut compiled) = (setup.machine(), setup.machine());
        compiled.set_compiler(Box::new(rounds::Strict(Jit::new().after(1))));
        let kinds = [Kind::Near, Kind::Exact, Kind::Far, Kind::Small, Kind::Special, Kind::Any];
        for round in 0..800_u64 {
            let mut random = randoms(round * 77 + u64::from(self.sew));
            let mut below = |bound: u64| (random.next().unwrap_or(0) >> 20) % bound;
            let kinds = [kinds[below(5) as usize], kinds[below(6) as usize]];
            // Most of the time the inexact flag is raised, and others are or not.
            let flags = if below(3) == 0 { below(32) } else { below(32) | 1 };
            let frm = if below(8) == 0 { below(5) } else { 0 };
            let (lanes, scalar) = (
                self.lanes(kinds, round * 2 + below(2)),
                self.format().number(kinds[1], round.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            );
            let scalar = if self.sew == 3 || below(9) == 0 { scalar } else { scalar | 0xffff_ffff << 32 };
            let wanted = if below(4) == 0 { below(9) } else { 64 };
            let prepare = |machine: &mut Machine<'_>| {
                let hart = &mut machine.hart;
                for (register, bytes) in lanes.chunks_exact(self.vlen as usize / 8).enumerate() {
                    hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                hart.float.set_raw(B as u32, scalar);
                hart.set_x(FLAGS as u16, flags);
                hart.set_x(30, wanted);
                hart.write_csr(FRM, frm, Clock::default()).expect("a writable register");
                let limits = Limits { instructions: Some(length * (round + 1)) };
                machine.run(limits, &mut Blind, &mut Screen::default());
                assert_eq!(machine.hart.pc().0, BASE);
            };
            prepare(&mut interpreted);
            prepare(&mut compiled);
            setup.assert_same_state(&mut interpreted, &mut compiled);
        }
    }
}

/// The bits of a double that is a single, or between two, or less than all.
fn near_single(kind: Kind, random: u64) -> u64 {
    let single = f64::from(f32::from_bits(FORMATS[0].number(kind, random) as u32));
    match random >> 40 & 7 {
        0 | 1 => single.to_bits(),
        2 => single.to_bits() | 1 << 28,
        3 => (single * 2.0_f64.powi(-23)).to_bits(),
        4 => (single * 2.0_f64.powi(8)).to_bits(),
        _ => single.to_bits() | random >> 8 & 0x1fff_ffff,
    }
}

#[test]
fn flags_that_are_raised_or_not() {
    for (sew, isa, vlen) in
        [(2, "rv64gcv", 128), (3, "rv64gcv", 256), (2, "rv32gcv", 256), (3, "rv32gcv", 128)]
    {
        let program = program(isa);
        for (masked, fill) in [(false, AgnosticFill::Ones), (true, AgnosticFill::Undisturbed)] {
            for all in [ALL, COMPARED, WIDER].into_iter().take(if sew == 2 { 3 } else { 2 }) {
                Rounds { program: &program, all, sew, vlen, masked, fill }.check();
            }
        }
    }
}
