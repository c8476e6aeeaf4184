//! Loops of instructions whose operands differ in width, and of those that take floating-point registers to elements,
//! against both tiers and a small model of them apart: alone in every width, and in runs on registers that are columns
//! meanwhile, with every overlap that is legal.

use engine::{Blind, Limits, Program};
use hart::AgnosticFill;
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::Setup;
use crate::guest::{Screen, encode, program};
use crate::numbers::randoms;
use crate::widths::{Step, Widths, lane};

const CASES: u32 = 300;
const ROUNDS: u64 = 3;
/// Register with the rounds that are left.
const LEFT: usize = 31;
const FRM: i64 = 2;
/// Moves eight registers, all of them.
const MOVES: &str = "VMV8R__V";
const SHAPES: [(u32, i32); 11] = [
    (256, 0),
    (128, 0),
    (512, 1),
    (256, 2),
    (512, -1),
    (128, 1),
    (512, -2),
    (256, 1),
    (128, 2),
    (256, -1),
    (64, 1),
];

/// All of them, with `_` for a second operand that is none, and some that write columns before and read them after.
const ALL: &[&str] = &[
    "VWADDU__VV",
    "VWADDU__VX",
    "VWADDU__WV",
    "VWADDU__WX",
    "VWADD__VV",
    "VWADD__VX",
    "VWADD__WV",
    "VWADD__WX",
    "VWSUBU__VV",
    "VWSUBU__VX",
    "VWSUBU__WV",
    "VWSUBU__WX",
    "VWSUB__VV",
    "VWSUB__VX",
    "VWSUB__WV",
    "VWSUB__WX",
    "VWMULU__VV",
    "VWMULU__VX",
    "VWMULSU__VV",
    "VWMULSU__VX",
    "VWMUL__VV",
    "VWMUL__VX",
    "VWMACCU__VV",
    "VWMACCU__VX",
    "VWMACC__VV",
    "VWMACC__VX",
    "VWMACCSU__VV",
    "VWMACCSU__VX",
    "VWMACCUS__VX",
    "VWSLL__VV",
    "VWSLL__VX",
    "VWSLL__VI",
    "VNSRL__WV",
    "VNSRL__WX",
    "VNSRL__WI",
    "VNSRA__WV",
    "VNSRA__WX",
    "VNSRA__WI",
    "VZEXT__VF2",
    "VZEXT__VF4",
    "VZEXT__VF8",
    "VSEXT__VF2",
    "VSEXT__VF4",
    "VSEXT__VF8",
    "VFMV__V__F",
    "VFMERGE__VFM",
    "VXOR__VV",
    "VADD__VV",
];

/// A loop.
struct Run<'p> {
    program: &'p Program,
    vlen: u32,
    fill: AgnosticFill,
    widths: Widths,
    tail_agnostic: bool,
    /// Elements; none for the most.
    avl: Option<u32>,
    sets_each_round: bool,
    steps: Vec<Step>,
    x: Vec<u64>,
    floats: Vec<u64>,
    lanes: Vec<u8>,
}

impl Run<'_> {
    fn setup(&self) -> Setup<'_> {
        let module = self.program.module();
        let Widths { sew, lmul } = self.widths;
        let agnostic = if self.tail_agnostic { 0xc0 } else { 0x80 };
        let vtype = i64::from(agnostic | sew << 3 | (lmul & 7) as u32);
        let sets = match self.avl {
            Some(avl) => ("VSETIVLI", ("uimm", avl.into())),
            None => ("VSETVLI", ("rs1", 0)),
        };
        let mut words = vec![
            // The floating-point unit counts as changed from here on.
            encode(module, "CSRRW", &[("csr", FRM)]),
            encode(module, sets.0, &[("rd", 5), sets.1, ("zimm", vtype)]),
        ];
        words.extend(self.steps.iter().map(|step| step.word(self.program)));
        words.push(encode(module, "ADDI", &[("rd", LEFT as i64), ("rs1", LEFT as i64), ("imm", -1)]));
        let back = -4 * (words.len() - if self.sets_each_round { 1 } else { 2 }) as i64;
        words.push(encode(module, "BNE", &[("rs1", LEFT as i64), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[]));
        let (lanes, x, floats) = (self.lanes.clone(), self.x.clone(), self.floats.clone());
        Setup { vlen: self.vlen, fill: self.fill, x, lanes, floats, ..Setup::new(self.program, words) }
    }

    /// The vector registers at the end.
    fn expected(&self) -> Vec<u8> {
        let vlenb = self.vlen as usize / 8;
        let vlmax = self.widths.vlmax(vlenb);
        let vl = self.avl.map_or(vlmax, |avl| vlmax.min(avl as usize));
        let mut file = self.lanes.clone();
        let read = |file: &[u8], register: u32, index: usize, width: u32| {
            let (at, width) = (register as usize * vlenb + (index << width), 1 << width);
            file[at..at + width].iter().rev().fold(0, |lane, &byte| lane << 8 | u64::from(byte))
        };
        for step in (0..ROUNDS).flat_map(|_| &self.steps) {
            if step.name == MOVES {
                let [d, a] = [step.d, step.a].map(|register| register as usize * vlenb);
                file.copy_within(a..a + 8 * vlenb, d);
                continue;
            }
            let [wd, wa, wb] = self.widths.of(step.name);
            let results: Vec<u64> = (0..vl)
                .map(|index| {
                    let b = match step.second() {
                        "vs1" => read(&file, step.b, index, wb),
                        "uimm5" | "uimm" => step.b.into(),
                        "rs1" if step.is_float() => self.floats[step.b as usize],
                        "rs1" => self.x[step.b as usize],
                        _ => 0,
                    };
                    let [d, a] = [(step.d, wd), (step.a, wa)]
                        .map(|(register, width)| read(&file, register, index, width));
                    let bit = file[index / 8] >> (index % 8) & 1 == 1;
                    lane(step.name, [wd, wa, wb].map(|width| 8 << width), [d, a, b], bit)
                })
                .collect();
            let (at, width) = (step.d as usize * vlenb, 1 << wd);
            for (index, value) in results.into_iter().enumerate() {
                file[at + index * width..][..width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            let end = vlenb.max(vlmax * width);
            let is_agnostic = self.tail_agnostic || self.widths.shares(step);
            if self.fill == AgnosticFill::Ones && is_agnostic && vl > 0 {
                file[at + vl * width..at + end].fill(0xff);
            }
        }
        file
    }

    fn check(&self, threshold: u32) {
        let file = self.expected();
        for compiles in [false, true] {
            let mut machine = self.setup().machine();
            if compiles {
                machine.set_compiler(Box::new(Jit::new().after(threshold)));
            }
            let limits = Limits { instructions: Some(ROUNDS * (self.steps.len() as u64 + 3) + 3) };
            machine.run(limits, &mut Blind, &mut Screen::default());
            let hart = &mut machine.hart;
            let what = || {
                format!(
                    "compiled: {compiles}; VLEN {} {:?} avl {:?} {:?} {:x?}",
                    self.vlen, self.widths, self.avl, self.steps, self.x
                )
            };
            assert_eq!(hart.x(LEFT as u16), 0, "the loop ends; {}", what());
            for (register, lanes) in file.chunks_exact(self.vlen as usize / 8).enumerate() {
                let found = hart.vector.register(register);
                assert!(lanes == found, "v{register} should be {lanes:x?}, is {found:x?}; {}", what());
            }
        }
    }
}

/// A number at an edge of some width, or any.
fn number(random: u64) -> u64 {
    let edge = 1_u64 << (7 + 8 * (random >> 8 & 7));
    match random >> 60 {
        0..6 => random,
        6..8 => 0x8000_8080_8000_0080 | random & 0x7fff,
        8..10 => (random as i8 >> 3) as u64,
        10 => u64::MAX,
        _ => edge.wrapping_add(random & 3).wrapping_sub(2),
    }
}

/// The integer registers: some counts, then numbers.
fn scalars(seed: u64) -> Vec<u64> {
    let mut x: Vec<u64> = randoms(seed ^ 0x5ca1).take(32).map(number).collect();
    x.iter_mut().skip(12).take(6).for_each(|value| *value &= 0x3f);
    (x[0], x[LEFT]) = (0, ROUNDS);
    x
}

/// Floating-point registers, boxed for a width but for some.
fn floats(seed: u64, bits: u32) -> Vec<u64> {
    let boxed = |(register, random): (usize, u64)| match register % 5 {
        3 => random,
        4 => random | u64::MAX << 48,
        _ => random | u64::MAX.checked_shl(bits).unwrap_or(0),
    };
    randoms(seed ^ 0xf10a).take(32).enumerate().map(boxed).collect()
}

fn lanes(vlen: u32, seed: u64) -> Vec<u8> {
    let bytes = randoms(seed).take(32 * vlen as usize / 64).flat_map(|random| number(random).to_le_bytes());
    bytes.collect()
}

/// Every instruction in every width and shape, on groups that are apart and on such that share registers.
#[test]
fn each_in_every_width() {
    let program = program("rv64gcv_zvbb_zvfh");
    let mut seed = 1;
    for &name in ALL {
        for (sew, (vlen, lmul), together) in (0..4).flat_map(|sew| {
            SHAPES.into_iter().flat_map(move |shape| (0..4).map(move |together| (sew, shape, together)))
        }) {
            let widths = Widths { sew, lmul };
            seed += 1;
            let scalar = 7 + seed as u32 % 23;
            // Apart, `vd` and `vs2` in one, `vs2` in the last part of `vd`, and both sources there.
            let last = widths.last_of(name, 8);
            let [d, a, b] = [[8, 16, 24], [16, 16, 24], [8, last, 24], [8, last, last]][together];
            let step = Step { name, d, a, b };
            let step = if step.second() == "vs1" { step } else { Step { b: scalar, ..step } };
            if !widths.allow(&step, vlen) {
                continue;
            }
            // What holds what it reads before, and another reader of what it writes.
            let whole = (a >> lmul.max(0)) << lmul.max(0);
            // Nothing else changes the tail from round to round.
            let moves = Step { name: MOVES, d: 8, a: 16, b: 0 };
            let steps = [
                Step { name: "VADD__VV", d: whole, a: whole, b: whole },
                step,
                Step { name: "VXOR__VV", d: 0, a: d, b: whole },
            ];
            let steps = steps.into_iter().filter(|step| widths.allow(step, vlen));
            let steps = widths.shares(&step).then_some(moves).into_iter().chain(steps);
            // Those that share registers are agnostic whatever `vtype` says.
            let times = if widths.shares(&step) { 4 } else { 1 };
            for random in randoms(seed).take(times).map(|random| random >> 40) {
                let ones = times > 1 || random % 3 == 0;
                Run {
                    program: &program,
                    vlen,
                    fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
                    widths,
                    tail_agnostic: random >> 8 & 1 == 0,
                    avl: [None, None, Some(8)][(random >> 12) as usize % 3],
                    sets_each_round: times > 1 || random >> 4 & 1 == 0,
                    steps: steps.clone().collect(),
                    x: scalars(seed),
                    floats: floats(seed, 8 << sew),
                    lanes: lanes(vlen, seed),
                }
                .check(1);
            }
        }
    }
}

/// Runs of them.
#[test]
fn runs_of_them() {
    let program = program("rv64gcv_zvbb_zvfh");
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0xd0b1e),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let registers = || proptest::array::uniform3(0..12u32);
    let case = (
        proptest::collection::vec((0..ALL.len(), registers()), 1..16),
        (select(&SHAPES[..]), 0..4u32),
        (any::<u64>(), any::<[bool; 3]>()),
        (select(&[None, None, Some(4u32), Some(8), Some(16), Some(0), Some(13)][..]), 0..3u32),
    );
    let outcome = TestRunner::new(config).run(
        &case,
        |(choices, shape, (seed, [ones, ta, sets_each_round]), (avl, threshold))| {
            let ((vlen, lmul), sew) = shape;
            let widths = Widths { sew, lmul: lmul.max(sew as i32 - 3) };
            let steps = choices.into_iter().map(|(which, [d, a, b])| {
                let step = Step { name: ALL[which], d, a, b };
                let step = if step.second() == "vs1" { step } else { Step { b: 7 + b, ..step } };
                let instead = Step { name: "VADD__VV", d: d & 12, a: a & 12, b: b & 12 };
                if widths.allow(&step, vlen) { step } else { instead }
            });
            let fill = if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
            Run {
                program: &program,
                vlen,
                fill,
                widths,
                tail_agnostic: ta,
                avl,
                sets_each_round,
                steps: steps.collect(),
                x: scalars(seed),
                floats: floats(seed, 8 << sew),
                lanes: lanes(vlen, seed),
            }
            .check(threshold);
            Ok(())
        },
    );
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
