//! Each instruction on numbers of binary16 and BF16 alone, with groups of all sizes: at the end of the register file, over
//! each other as far as it is allowed, with one number among ordinary ones that is special, and masks and lengths that leave
//! it out or not.

use engine::{Blind, Limits, Machine, Program};
use hart::AgnosticFill;
use hart::csr::Clock;
use jit::Jit;

use crate::guest::{BASE, Screen, encode, program};
use crate::half_numbers::{CORNERS, Numbers, operands, wide};
use crate::halves::{ARITHMETIC, BYTES, COMPARED, CONVERTED, FUSED, Instructions, OF_BYTES, WIDER};
use crate::numbers::randoms;
use crate::{Setup, rounds};

/// Registers with the flags before an instruction, with those after it, with the length, and with a scalar.
const FLAGS: i64 = 31;
const AFTER: i64 = 29;
const LENGTH: i64 = 30;
const SCALAR: i64 = 10;
const FFLAGS: i64 = 1;
const FRM: u64 = 2;
/// Numbers whose sums and products are exact most of the time.
const SMALL: [u64; 8] = [0x3c00, 0x4000, 0x4200, 0xc000, 0, 0x8000, 0x3800, 0xb800];

/// Where groups are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// `vd` is at the end of the register file.
    TargetLast,
    /// `vs2` is.
    SourceLast,
    /// `vs2` is a part of `vd`, or the other way round.
    Overlapping,
}

/// How wide elements are, as log2 of bytes.
struct Widths {
    sew: u32,
    d: u32,
    a: u32,
}

impl Widths {
    fn of(name: &str, sew: u32) -> Self {
        let is_fold = name.starts_with("VFWRED");
        let d = if name.starts_with("VFW") { sew + 1 } else { sew };
        let is_wide = name.contains("__W") || name.starts_with("VFN") && !is_plain(name);
        Self { sew, d, a: if is_wide && !is_fold { sew + 1 } else { sew } }
    }

    /// Registers of a group of such elements.
    fn group(&self, width: u32, lmul: i64) -> i64 {
        let lmul = lmul + i64::from(width) - i64::from(self.sew);
        1 << lmul.max(0)
    }
}

/// True for negated sums with products, which are no narrowing instructions.
fn is_plain(name: &str) -> bool {
    name.starts_with("VFNM")
}

/// One instruction in a loop.
struct Alone<'p> {
    program: &'p Program,
    name: &'static str,
    widths: Widths,
    lmul: i64,
    vlen: u32,
    masked: bool,
    fill: AgnosticFill,
    layout: Layout,
}

impl Alone<'_> {
    /// Where `vd`, `vs2` and `vs1` are.
    fn registers(&self) -> [i64; 3] {
        let [d, a] = [self.widths.d, self.widths.a].map(|width| self.widths.group(width, self.lmul));
        match self.layout {
            Layout::TargetLast => [32 - d, 8, 16],
            Layout::SourceLast => [8, 32 - a, 16],
            Layout::Overlapping => [8, 8 + (d - a).max(0), 16],
        }
    }

    /// True if the groups may be where they are.
    fn is_legal(&self) -> bool {
        let largest = self.widths.d.max(self.widths.a) - self.widths.sew;
        let fits = self.lmul + i64::from(largest) <= 3;
        // A part of a register may not be the end of another group, and none is read as numbers of two widths.
        let is_read_twice = self.name.starts_with("VFW") && self.name.contains("AC");
        fits && (self.layout != Layout::Overlapping || self.lmul >= 0 && !is_read_twice)
    }

    fn words(&self) -> Vec<u32> {
        let op = |name: &str, fields: &[(&str, i64)]| encode(self.program.module(), name, fields);
        let flags = |rd: i64| op("CSRRW", &[("rd", rd), ("csr", FFLAGS), ("rs1", FLAGS)]);
        let vtype = 0xc0 | i64::from(self.widths.sew) << 3 | self.lmul & 7;
        let [d, a, b] = self.registers();
        let mut fields = vec![("vd", d), ("vs2", a), ("vm", i64::from(!self.masked))];
        match self.name.rsplit("__").next() {
            Some("VV" | "WV" | "VS") => fields.push(("vs1", b)),
            Some("VF" | "WF") => fields.push(("rs1", SCALAR)),
            _ => {}
        }
        let set = op("VSETVLI", &[("rd", 0), ("rs1", LENGTH), ("zimm", vtype)]);
        let mut words = vec![set, flags(0), op(self.name, &fields), flags(AFTER)];
        words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
        words
    }

    /// The vector registers of a round.
    fn lanes(&self, round: usize, seed: u64) -> Vec<u8> {
        let vlenb = self.vlen as usize / 8;
        let mut lanes = vec![0; 32 * vlenb];
        let mut random = randoms(seed);
        let mut next = move || random.next().unwrap_or(0) >> 8;
        lanes.chunks_exact_mut(8).for_each(|bytes| bytes.copy_from_slice(&next().to_le_bytes()));
        let [d, a, b] = self.registers();
        let special = next() as usize % 40;
        let styles =
            [Numbers::Pairs, Numbers::Any, Numbers::Near, Numbers::Ties, Numbers::Near, Numbers::Near];
        let style = round % (styles.len() + 2);
        for (group, register, width) in [(0, a, self.widths.a), (1, b, 1), (2, d, self.widths.d)] {
            let bytes = 1 << width;
            for (index, bits) in lanes[register as usize * vlenb..].chunks_exact_mut(bytes).enumerate() {
                let (place, any) = (next() as usize % (1 << 20), next());
                let half = match styles.get(style) {
                    Some(&numbers) => operands(numbers, place, any << 10)[group],
                    None => SMALL[place % SMALL.len()],
                };
                let is_special = style > 3 && index % 40 == special && any & 1 == 0;
                let half = if is_special { CORNERS[place % CORNERS.len()] | any << 3 & 0x8000 } else { half };
                let is_brain = self.name.contains("BF16");
                let word = if is_brain { half << 16 | any >> 20 & 0x1_8001 } else { wide(half, any) };
                bits.copy_from_slice(&(if width == 2 { word } else { half }).to_le_bytes()[..bytes]);
            }
        }
        lanes
    }

    fn check(&self, rounds: usize) {
        let setup = Setup { vlen: self.vlen, fill: self.fill, ..Setup::new(self.program, self.words()) };
        let length = setup.words.len() as u64;
        let (mut interpreted, mut compiled) = (setup.machine(), setup.machine());
        compiled.set_compiler(Box::new(rounds::Strict(Jit::new().after(1))));
        let vlenb = self.vlen as usize / 8;
        let mut random = randoms(u64::from(self.vlen) * 31 + self.words()[2] as u64);
        let mut below = |bound: u64| (random.next().unwrap_or(0) >> 20) % bound;
        for round in 0..rounds {
            let flags = [0, 1, 31, below(32), below(32) | 1, below(32) | 16][below(6) as usize];
            let frm = if below(12) == 0 { below(5) } else { 0 };
            let lanes = self.lanes(below(1000) as usize, below(1 << 40));
            let [_, scalar, _] = operands(
                [Numbers::Near, Numbers::Pairs][below(2) as usize],
                below(4096) as usize,
                below(1 << 43) << 20,
            );
            let scalar = if below(12) == 0 { scalar } else { scalar | !0xffff };
            let wanted =
                [4096, below(12 * vlenb as u64), 8 * below(vlenb as u64), below(40)][below(4) as usize];
            let prepare = |machine: &mut Machine<'_>| {
                let hart = &mut machine.hart;
                for (register, bytes) in lanes.chunks_exact(vlenb).enumerate() {
                    hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                hart.float.set_raw(SCALAR as u32, scalar);
                hart.set_x(FLAGS as u16, flags);
                hart.set_x(LENGTH as u16, wanted);
                hart.write_csr(FRM, frm, Clock::default()).expect("a writable register");
                let limits = Limits { instructions: Some(length * (round as u64 + 1)) };
                machine.run(limits, &mut Blind, &mut Screen::default());
                assert_eq!(machine.hart.pc().0, BASE, "{}", self.name);
            };
            prepare(&mut interpreted);
            prepare(&mut compiled);
            setup.assert_same_state(&mut interpreted, &mut compiled);
        }
    }
}

/// Tries each instruction with groups of all sizes.
fn check(sew: u32, names: Instructions) {
    let program = program("rv64gcv_zvfh_zvfbfwma");
    let shapes = [(256, 0), (128, 0), (128, 3), (256, 1), (256, 2), (512, 2), (1024, 0), (256, -1), (512, 3)];
    let layouts = [Layout::TargetLast, Layout::SourceLast, Layout::Overlapping];
    for &name in names {
        // These are no arithmetic, and may not be written over.
        if name.contains("SLIDE") || name.contains("MERGE") || name.starts_with("VFMV") {
            continue;
        }
        for (index, &(vlen, lmul)) in shapes.iter().enumerate() {
            for (masked, layout) in [false, true].into_iter().zip(layouts.into_iter().cycle().skip(index)) {
                let fill =
                    [AgnosticFill::Undisturbed, AgnosticFill::Ones][usize::from(!masked && index % 2 == 1)];
                let widths = Widths::of(name, sew);
                let alone = Alone { program: &program, name, widths, lmul, vlen, masked, fill, layout };
                if alone.is_legal() {
                    alone.check(16);
                }
            }
        }
    }
}

#[test]
fn arithmetic() {
    check(1, ARITHMETIC);
}

#[test]
fn sums_with_products() {
    check(1, FUSED);
}

#[test]
fn comparisons_and_reductions() {
    check(1, COMPARED);
}

#[test]
fn wider_results() {
    check(1, WIDER);
}

#[test]
fn conversions() {
    check(1, CONVERTED);
    check(0, BYTES);
    check(0, OF_BYTES);
}
