//! Loops of fixed-point instructions against both tiers and a small model of them apart: results, `vxsat`, and every
//! rounding mode, which changes from step to step.

use engine::{Blind, Limits, Program};
use hart::AgnosticFill;
use hart::csr::Clock;
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::Setup;
use crate::guest::{Screen, encode, program};
use crate::numbers::randoms;
use crate::roundings::lane;

const CASES: u32 = 400;
const ROUNDS: u64 = 4;
/// Rounding modes, the one in which hosts round most often.
const MODES: [u64; 6] = [0, 1, 0, 2, 0, 3];
/// Register with the rounds that are left.
const LEFT: usize = 31;
/// Register that takes `vxsat`.
const SATURATED: usize = 30;
const VXSAT: u16 = 0x009;
const VXRM: u16 = 0x00a;

/// Names with the field of the second operand.
const ALL: [(&str, &str); 33] = [
    ("VSADDU__VV", "vs1"),
    ("VSADDU__VX", "rs1"),
    ("VSADDU__VI", "simm5"),
    ("VSADD__VV", "vs1"),
    ("VSADD__VX", "rs1"),
    ("VSADD__VI", "simm5"),
    ("VSSUBU__VV", "vs1"),
    ("VSSUBU__VX", "rs1"),
    ("VSSUB__VV", "vs1"),
    ("VSSUB__VX", "rs1"),
    ("VAADDU__VV", "vs1"),
    ("VAADDU__VX", "rs1"),
    ("VAADD__VV", "vs1"),
    ("VAADD__VX", "rs1"),
    ("VASUBU__VV", "vs1"),
    ("VASUBU__VX", "rs1"),
    ("VASUB__VV", "vs1"),
    ("VASUB__VX", "rs1"),
    ("VSMUL__VV", "vs1"),
    ("VSMUL__VX", "rs1"),
    ("VSSRL__VV", "vs1"),
    ("VSSRL__VX", "rs1"),
    ("VSSRL__VI", "uimm5"),
    ("VSSRA__VV", "vs1"),
    ("VSSRA__VX", "rs1"),
    ("VSSRA__VI", "uimm5"),
    ("VNCLIPU__WV", "vs1"),
    ("VNCLIPU__WX", "rs1"),
    ("VNCLIPU__WI", "uimm5"),
    ("VNCLIP__WV", "vs1"),
    ("VNCLIP__WX", "rs1"),
    ("VNCLIP__WI", "uimm5"),
    // Columns that it computes come to the others, and theirs to it.
    ("VADD__VV", "vs1"),
];

/// One step of a loop.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// One of all, by its place: `vd`, `vs2` and the second operand.
    Computes(usize, [u32; 3]),
    /// Writes a register to `vxrm`.
    Rounds(u32),
    /// Puts `vxsat` into a register and clears it.
    Takes(u32),
}

use Step::{Computes, Rounds, Takes};

/// A loop.
struct Run<'p> {
    program: &'p Program,
    vlen: u32,
    fill: AgnosticFill,
    /// log2 of bytes.
    sew: u32,
    /// log2.
    lmul: i32,
    /// Elements; none for the most.
    avl: Option<u32>,
    sets_each_round: bool,
    /// Elements change whose bits of v0 are set.
    masked: bool,
    steps: Vec<Step>,
    x: Vec<u64>,
    lanes: Vec<u8>,
}

impl Run<'_> {
    const fn vlmax(&self) -> usize {
        let vlenb = self.vlen as usize / 8;
        (if self.lmul < 0 { vlenb >> -self.lmul } else { vlenb << self.lmul }) >> self.sew
    }

    fn setup(&self) -> Setup<'_> {
        let module = self.program.module();
        let vtype = i64::from(0xc0 | self.sew << 3 | (self.lmul & 7) as u32);
        let sets = match self.avl {
            Some(avl) => ("VSETIVLI", ("uimm", avl.into())),
            None => ("VSETVLI", ("rs1", 0)),
        };
        let mut words = vec![encode(module, sets.0, &[("rd", 5), sets.1, ("zimm", vtype)])];
        words.extend(self.steps.iter().map(|step| {
            let csr = |csr: u16, rd: u32, rs1: u32| {
                encode(module, "CSRRW", &[("rd", rd.into()), ("csr", csr.into()), ("rs1", rs1.into())])
            };
            match *step {
                Computes(which, [d, a, b]) => {
                    let (name, second) = ALL[which];
                    let fields = [
                        ("vd", d.into()),
                        ("vs2", a.into()),
                        (second, b.into()),
                        ("vm", (!self.masked).into()),
                    ];
                    encode(module, name, &fields)
                }
                Rounds(register) => csr(VXRM, 0, register),
                Takes(register) => csr(VXSAT, register, 0),
            }
        }));
        words.push(encode(module, "ADDI", &[("rd", LEFT as i64), ("rs1", LEFT as i64), ("imm", -1)]));
        let back = -4 * (words.len() - usize::from(!self.sets_each_round)) as i64;
        words.push(encode(module, "BNE", &[("rs1", LEFT as i64), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[]));
        let (lanes, x) = (self.lanes.clone(), self.x.clone());
        Setup { vlen: self.vlen, fill: self.fill, x, lanes, ..Setup::new(self.program, words) }
    }

    /// Vector registers, integer registers, and `vxsat` at the end.
    fn expected(&self) -> (Vec<u8>, Vec<u64>, bool) {
        let (vlenb, width) = (self.vlen as usize / 8, 1 << self.sew);
        let vl = self.avl.map_or(self.vlmax(), |avl| self.vlmax().min(avl as usize));
        let (mut file, mut x, mut vxrm, mut vxsat) = (self.lanes.clone(), self.x.clone(), 0, false);
        let read = |file: &[u8], at: usize, width: usize| {
            file[at..at + width].iter().rev().fold(0, |lane, &byte| lane << 8 | u64::from(byte))
        };
        for step in (0..ROUNDS).flat_map(|_| &self.steps) {
            let (which, [d, a, b]) = match *step {
                Computes(which, registers) => (which, registers),
                Rounds(register) => {
                    vxrm = x[register as usize] & 3;
                    continue;
                }
                Takes(register) => {
                    x[register as usize] = std::mem::take(&mut vxsat).into();
                    continue;
                }
            };
            let (name, second) = ALL[which];
            let bits = 8 * width as u32;
            let (first, [d, a, at_b]) =
                (1 + usize::from(name.contains("__W")), [d, a, b].map(|r| r as usize * vlenb));
            let is_active = |index: usize| !self.masked || file[index / 8] >> (index % 8) & 1 == 1;
            let results: Vec<Option<i128>> = (0..vl)
                .map(|index| {
                    if !is_active(index) {
                        return (self.fill == AgnosticFill::Ones).then_some(-1);
                    }
                    let b = match second {
                        "vs1" => read(&file, at_b + index * width, width),
                        "rs1" => x[b as usize],
                        "uimm5" => b.into(),
                        _ => (i64::from(b) << 59 >> 59) as u64,
                    };
                    let a = read(&file, a + index * first * width, first * width);
                    let (exact, is_signed) = lane(name, bits, vxrm, a, b & (u64::MAX >> (64 - bits)));
                    let least = if is_signed { -(1 << (bits - 1)) } else { 0 };
                    let value = exact.clamp(least, least + (1 << bits) - 1);
                    vxsat |= value != exact;
                    Some(value)
                })
                .collect();
            for (index, value) in results.into_iter().enumerate() {
                let Some(value) = value else { continue };
                file[d + index * width..][..width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            let end = vlenb.max(self.vlmax() * width);
            if self.fill == AgnosticFill::Ones && vl > 0 {
                file[d + vl * width..d + end].fill(0xff);
            }
        }
        (file, x, vxsat)
    }

    fn check(&self, threshold: u32) {
        let (file, x, vxsat) = self.expected();
        let narrows = |step: &Step| matches!(step, Computes(which, _) if ALL[*which].0.starts_with("VNCLIP"));
        // Nothing else depends on what few hosts have.
        let without_rare = self.steps.iter().any(narrows).then(|| Some(Jit::new().without_rare()));
        for compiler in [None, Some(Jit::new())].into_iter().chain(without_rare) {
            let mut machine = self.setup().machine();
            let compiles = compiler.is_some();
            if let Some(compiler) = compiler {
                machine.set_compiler(Box::new(compiler.after(threshold)));
            }
            let limits = Limits { instructions: Some(ROUNDS * (self.steps.len() as u64 + 3) + 2) };
            machine.run(limits, &mut Blind, &mut Screen::default());
            let hart = &mut machine.hart;
            let what = || {
                let named = self.steps.iter().map(|step| match step {
                    Computes(which, registers) => format!("{} {registers:?}", ALL[*which].0),
                    other => format!("{other:?}"),
                });
                let named: Vec<String> = named.collect();
                format!(
                    "compiled: {compiles}; masked: {}; VLEN {} SEW {} LMUL 2^{} avl {:?} {named:?} {:x?}",
                    self.masked,
                    self.vlen,
                    8 << self.sew,
                    self.lmul,
                    self.avl,
                    self.x
                )
            };
            assert_eq!(hart.x(LEFT as u16), 0, "the loop ends; {}", what());
            for (register, lanes) in file.chunks_exact(self.vlen as usize / 8).enumerate() {
                let found = hart.vector.register(register);
                assert!(lanes == found, "v{register} should be {lanes:x?}, is {found:x?}; {}", what());
            }
            for (register, &value) in x.iter().enumerate().skip(6).take(LEFT - 6) {
                assert_eq!(hart.x(register as u16), value, "x{register}; {}", what());
            }
            let found = hart.read_csr(VXSAT.into(), Clock::default()).ok();
            assert_eq!(found, Some(vxsat.into()), "vxsat; {}", what());
        }
    }
}

/// A number of so many bits: one at an edge, next to one, or any.
fn number(bits: u32, random: u64) -> u64 {
    let [half, high] = [1_u64 << (bits / 2), 1_u64 << (bits - 1)];
    let edges = [0, half / 2, half, high, high | half];
    let edge = edges[random as usize % edges.len()];
    match random >> 60 {
        0..3 => random,
        3..6 => (random as i8 >> 3) as u64,
        6 => edge.wrapping_neg(),
        _ => edge.wrapping_add((random >> 8) % 5).wrapping_sub(2),
    }
}

/// What a register file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    /// Of which most operations saturate.
    Far,
    /// Of which few do.
    Near,
    /// The same, but for one lane.
    NearButOne,
}

fn lanes(numbers: Numbers, vlen: u32, width: usize, seed: u64) -> Vec<u8> {
    let (of_register, bits) = (vlen as usize / 8 / width, 8 * width as u32);
    let odd = seed as usize % of_register;
    let lane = |(index, random): (usize, u64)| {
        let (register, index) = (index / of_register, index % of_register);
        let value: u64 = match numbers {
            Numbers::Near => 1 + register as u64 % 7,
            Numbers::NearButOne if index != odd => 1 + register as u64 % 7,
            // The least signed number meets itself.
            _ if (index as u64 + seed).is_multiple_of(4) => 1 << (bits - 1),
            _ => number(bits, random),
        };
        value.to_le_bytes()[..width].to_vec()
    };
    randoms(seed).take(32 * of_register).enumerate().flat_map(lane).collect()
}

/// The integer registers: some counts, then numbers.
fn scalars(seed: u64, bits: u32) -> Vec<u64> {
    let mut x: Vec<u64> = randoms(seed ^ 0x5ca1).take(32).map(|random| number(bits, random)).collect();
    x.iter_mut().skip(12).take(4).for_each(|value| *value &= 0x3f);
    (x[0], x[16], x[SATURATED], x[LEFT]) = (0, 3, 0, ROUNDS);
    x
}

/// True if an instruction is legal with elements and groups of these sizes.
fn is_supported(name: &str, sew: u32, lmul: i32) -> bool {
    let is_wide = name.contains("__W");
    // As many bits as the widest element's times the fraction have to hold one element.
    sew as i32 - lmul <= 3 && !(is_wide && (sew == 3 || lmul == 3))
}

/// A register group's number.
fn group(index: u32, lmul: i32) -> u32 {
    (index << lmul.max(0)) & 31
}

/// Every instruction in every width and mode, alone: on groups that are apart, and on such that are the same.
#[test]
fn each_in_every_width_and_mode() {
    let program = program("rv64gcv");
    let shapes =
        [(256, 0), (128, 0), (512, 1), (256, 2), (512, -1), (128, 1), (512, -2), (256, 1), (1024, -3)];
    let mut seed = 1;
    for (which, (name, _)) in ALL.into_iter().enumerate() {
        for (sew, vxrm, numbers) in (0..4).flat_map(|sew| {
            let of_mode =
                move |vxrm| [Numbers::Far, Numbers::Near, Numbers::NearButOne].map(|of| (sew, vxrm, of));
            MODES.into_iter().flat_map(of_mode)
        }) {
            for (together, masked) in [(false, false), (true, false), (false, true), (true, true)] {
                seed += 1;
                let (vlen, lmul) = shapes[seed as usize % shapes.len()];
                if !is_supported(name, sew, lmul) {
                    continue;
                }
                let is_wide = name.contains("__W");
                let width = 1 << (sew + u32::from(is_wide));
                let a = group(4, lmul);
                let d = if together { a } else { group(2, lmul) };
                // Elements of two widths must not be read from one register.
                let b = match name.ends_with('V') {
                    true if together && !is_wide => a,
                    true => group(3, lmul),
                    false => 7 + seed as u32 % 11,
                };
                let mut x = scalars(seed, 8 << sew);
                x[6] = vxrm;
                let steps = vec![Rounds(6), Computes(which, [d, a, b]), Takes(SATURATED as u32)];
                let fill = if seed % 3 == 0 { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
                let lanes = lanes(numbers, vlen, width, seed);
                let sets_each_round = seed % 2 == 0;
                let program = &program;
                Run { program, vlen, fill, sew, lmul, avl: None, sets_each_round, masked, steps, x, lanes }
                    .check(1);
            }
        }
    }
}

/// Chosen registers, as groups that an instruction may have: what is no such step becomes an addition.
fn step(sew: u32, lmul: i32, kind: u32, which: usize, [d, a, b]: [u32; 3]) -> Step {
    match kind {
        0..4 => return Takes(17 + d % 12),
        4..8 => return Rounds(7 + d % 11),
        _ => {}
    }
    let (name, _) = ALL[which];
    let is_wide = name.contains("__W");
    let pair = a & !1;
    let fits = |index: u32, other: bool| index & !1 != pair || other && index == pair;
    let is_legal = !is_wide || fits(d, true) && (!name.ends_with('V') || fits(b, false));
    let which = if is_legal && is_supported(name, sew, lmul) { which } else { ALL.len() - 1 };
    let (name, _) = ALL[which];
    let b = if name.ends_with('V') { group(b, lmul) } else { 7 + b % 23 };
    Computes(which, [group(d, lmul), group(if name.contains("__W") { pair } else { a }, lmul), b])
}

/// Runs of them with settings of the mode and looks at `vxsat` in between, on registers that are columns meanwhile.
#[test]
fn runs_of_them() {
    let program = program("rv64gcv");
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0xf1c5ed),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let registers = || proptest::array::uniform3(0..8u32);
    let case = (
        proptest::collection::vec((0..60u32, 0..ALL.len(), registers()), 1..16),
        (select(&[128u32, 256, 256, 512][..]), 0..4u32, select(&[0i32, 0, 0, 1, 2, -1, -2][..])),
        (select(&[Numbers::Far, Numbers::Near, Numbers::NearButOne][..]), any::<u64>(), any::<[bool; 4]>()),
        (select(&[None, None, Some(4u32), Some(8), Some(16), Some(0), Some(13)][..]), 0..3u32),
    );
    let outcome = TestRunner::new(config).run(&case, |(choices, shape, numbers, (avl, threshold))| {
        let ((vlen, sew, lmul), (numbers, seed, [ones, sets_each_round, wide, masked])) = (shape, numbers);
        let lmul = lmul.max(sew as i32 - 3);
        // Beside a mask, v0 is no operand.
        let least = if masked { [1, 2, 1] } else { [0; 3] };
        let steps = choices.into_iter().map(|(kind, which, registers)| {
            step(sew, lmul, kind, which, std::array::from_fn(|at| registers[at].max(least[at])))
        });
        let steps = steps.collect();
        let fill = if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let lanes = lanes(numbers, vlen, 1 << (sew + u32::from(wide && sew < 3)), seed);
        let x = scalars(seed, 8 << sew);
        Run { program: &program, vlen, fill, sew, lmul, avl, sets_each_round, masked, steps, x, lanes }
            .check(threshold);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
