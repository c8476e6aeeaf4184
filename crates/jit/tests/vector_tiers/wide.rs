//! Long runs of element-wise instructions, which compiled code makes functions of: lanes are those of a model.

use engine::Program;
use hart::AgnosticFill;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::guest::program;
use crate::model::{ALL, Form, Run, Step, step};
use crate::numbers::randoms;

const CASES: u32 = 150;
/// Lengths of registers and `vlmul` with which one instruction takes half a column of thirty-two bytes, which is for other
/// code, and one, two and four.
const SHAPES: [(u32, i64); 5] = [(128, 0), (256, 0), (128, 1), (512, 0), (256, 2)];
/// Registers with numbers to compute with or shift by.
const COUNTS: [(u32, u64); 8] = [
    (11, 0),
    (12, 1),
    (13, 31),
    (14, 32),
    (15, 64),
    (16, 0xdead_beef_0000_0025),
    (17, u64::MAX),
    (18, 0x8000_0000_8000_0007),
];

/// Random bytes, with some lanes that are 0, -1 or small numbers.
fn lanes(vlen: u32, seed: u64) -> Vec<u8> {
    let special = |random: u64| match random >> 60 {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << 63 | 1 << 31 | 1 << 15 | 1 << 7,
        3..6 => random & 0x0040_0020_0040_0021,
        6 => 64 << 32 | 32,
        _ => random,
    };
    randoms(seed).take(32 * vlen as usize / 64).flat_map(|random| special(random).to_le_bytes()).collect()
}

fn numbers() -> Vec<u64> {
    let mut x: Vec<u64> = randoms(0x9e37).take(32).collect();
    COUNTS.iter().for_each(|&(register, value)| x[register as usize] = value);
    x
}

/// A loop of these instructions on elements of `1 << sew` bytes.
fn run<'p>(program: &'p Program, shape: (u32, i64), sew: i64, steps: &[Step]) -> Run<'p> {
    Run {
        program,
        vlen: shape.0,
        fill: AgnosticFill::Undisturbed,
        vtype: sew << 3 | shape.1,
        avl: None,
        sets_each_round: false,
        steps: steps.to_vec(),
        rounds: 4,
        x: numbers(),
        lanes: lanes(shape.0, sew as u64 + 77),
    }
}

/// The instructions again and again until there are enough for a function.
fn repeated(steps: &[Step]) -> Vec<Step> {
    let times = 9_usize.div_ceil(steps.len());
    steps.iter().copied().cycle().take(times * steps.len()).collect()
}

/// Checks a run with elements of all widths and registers of several lengths, if its groups allow that.
fn in_all_shapes(program: &Program, steps: &[Step]) {
    in_shapes(program, &SHAPES, steps);
}

fn in_shapes(program: &Program, shapes: &[(u32, i64)], steps: &[Step]) {
    for &shape in shapes {
        let fits = |register: u32| register.is_multiple_of(1 << shape.1);
        let is_vector = |step: &Step| step.name.ends_with('V');
        if steps.iter().any(|step| !fits(step.d) || !fits(step.a) || is_vector(step) && !fits(step.b)) {
            continue;
        }
        for sew in 0..4 {
            run(program, shape, sew, steps).check(1);
        }
    }
}

/// Operands are in their places: each instruction with all of them different, and with some or all the same.
#[test]
fn operands_in_any_registers() {
    let programs = ["rv64gcv_zvkng", "rv32gcv_zvkng"].map(program);
    for (index, (name, form)) in ALL.into_iter().enumerate() {
        let b = |register| match form {
            Form::Vector => register,
            Form::Scalar => 20 + register / 4,
            Form::Immediate => 13 + register,
        };
        let steps: Vec<Step> = [
            [4, 8, 12],
            [8, 8, 16],
            [12, 16, 12],
            [16, 4, 4],
            [4, 4, 4],
            [20, 16, 8],
            [24, 20, 4],
            [12, 24, 20],
        ]
        .into_iter()
        .map(|[d, first, second]| step(name, d, first, b(second)))
        .chain([step("VXOR__VV", 28, 4, 12), step("VADD__VV", 0, 28, 16)])
        .collect();
        in_shapes(&programs[index % 2], &SHAPES[index % 4..][..2], &steps);
    }
}

/// Counts of 0, below, of and above the width, with bits that do not count.
#[test]
fn any_counts_of_shifts() {
    let program = program("rv64gcv_zvkng");
    for (name, back) in [("VSLL__VX", "VXOR__VX"), ("VSRL__VX", "VADD__VX"), ("VSRA__VX", "VSUB__VX")] {
        // The same registers are numbers, too, of which all bits count.
        let steps: Vec<Step> = (0..8)
            .flat_map(|index| [step(name, index, 8 + index, 11 + index), step(back, 8, index, 11 + index)])
            .collect();
        in_all_shapes(&program, &steps);
        let steps: Vec<Step> = (0..8)
            .map(|index| step(name, 2 * index, 16 + 2 * index, 11 + index))
            .chain([step(back, 18, 2, 16)])
            .collect();
        in_all_shapes(&program, &steps);
    }
    for name in ["VSLL__VI", "VSRL__VI", "VSRA__VI"] {
        for first in [0, 1, 7, 8, 16] {
            let steps: Vec<Step> = (0..12)
                .map(|index| step(name, 4 * (index % 4), 16 + 4 * (index % 4), (first + 3 * index) & 31))
                .collect();
            in_all_shapes(&program, &steps);
        }
    }
    for name in ["VSLL__VV", "VSRL__VV", "VSRA__VV", "VROL__VV", "VROR__VV"] {
        let steps: Vec<Step> = (0..10)
            .map(|index| step(name, 4 * (index % 3), 12 + 4 * (index % 3), 24 + 4 * (index % 2)))
            .collect();
        in_all_shapes(&program, &steps);
    }
}

/// Rotations by all numbers of bits, whole bytes and 0 among them.
#[test]
fn any_rotations() {
    let program = program("rv64gcv_zvkng");
    for first in (0..64).step_by(8) {
        let steps: Vec<Step> = (0..9)
            .map(|index| step("VROR__VI", 4 * (index % 4), 16 + 4 * (index % 4), (first + index) & 63))
            .collect();
        in_all_shapes(&program, &steps);
        let bytes: Vec<Step> =
            (0..8).map(|index| step("VROR__VI", 4 * index, 4 * index, 8 * index)).collect();
        in_all_shapes(&program, &repeated(&bytes));
    }
}

/// All registers are alive when an instruction needs scratch: rotations by lanes two, multiply-adds one.
#[test]
fn scratch_when_there_is_no_room() {
    let program = program("rv64gcv_zvkng");
    for name in ["VROL__VV", "VROR__VV", "VSLL__VV", "VMACC__VV", "VNMSUB__VV", "VMADD__VX", "VROR__VI"] {
        for distance in [1, 5, 13, 17] {
            let mut steps: Vec<Step> =
                (0..32).map(|index| step("VXOR__VV", index, index, (index + 1) % 32)).collect();
            steps.extend(
                (0..32).map(|index| step(name, index, (index + distance) % 32, (index + 3 * distance) % 32)),
            );
            steps.extend((0..32).rev().map(|index| step("VSUB__VV", index, (index + 7) % 32, index)));
            for sew in 1..4 {
                let vlen = [256, 512][(sew as usize + distance as usize / 4) % 2];
                let mut run = run(&program, (vlen, 0), sew, &steps);
                // The integer registers of the loop are none to compute with.
                let scalar = run.steps.iter_mut().filter(|step| step.name.ends_with('X'));
                scalar.for_each(|step| step.b = 11 + step.b % 8);
                run.check(0);
            }
        }
    }
}

/// Results that are read, overwritten unread, read and overwritten at once, moved, and left.
#[test]
fn results_that_nobody_reads() {
    let program = program("rv64gcv_zvkng");
    let runs: [&[Step]; 6] = [
        // Overwritten at once, the last one stays.
        &[step("VADD__VV", 4, 8, 12), step("VSUB__VV", 4, 8, 12), step("VXOR__VV", 4, 12, 16)],
        // Moves of what is read again, overwritten, and moved back.
        &[
            step("VMV__V__V", 4, 0, 8),
            step("VADD__VI", 8, 8, 3),
            step("VMV__V__V", 12, 0, 4),
            step("VXOR__VV", 4, 8, 12),
            step("VMV__V__V", 8, 0, 8),
            step("VMV__V__V", 16, 0, 4),
            step("VSUB__VV", 16, 16, 8),
            step("VMV__V__V", 4, 0, 16),
        ],
        // What is written only once in the middle, before its old value is read.
        &[step("VADD__VV", 16, 20, 24), step("VMV__V__I", 20, 0, 17), step("VADD__VV", 24, 20, 16)],
        // Two that swap.
        &[step("VXOR__VV", 4, 4, 8), step("VXOR__VV", 8, 8, 4), step("VXOR__VV", 4, 4, 8)],
        // An accumulator that is overwritten before anybody reads it.
        &[step("VMACC__VV", 4, 8, 12), step("VMV__V__X", 4, 0, 20), step("VMADD__VV", 4, 12, 8)],
        // The same scalar as numbers, counts and moved.
        &[step("VMV__V__X", 4, 0, 16), step("VSLL__VX", 8, 8, 16), step("VADD__VX", 12, 4, 16)],
    ];
    for steps in runs {
        in_all_shapes(&program, &repeated(steps));
    }
}

/// More different scalars than a function takes: immediates, registers, and both.
#[test]
fn many_scalars() {
    let programs = ["rv64gcv_zvkng", "rv32gcv_zvkng"].map(program);
    for program in &programs {
        let immediates: Vec<Step> =
            (0..32).map(|index| step("VADD__VI", 4 * (index % 7), 4 * (index % 8), index)).collect();
        let registers: Vec<Step> =
            (0..17).map(|index| step("VXOR__VX", 4 * (index % 7), 4 * (index % 8), 11 + index)).collect();
        // The seventeenth is the second one of an instruction with two.
        let mut rotations: Vec<Step> =
            (0..15).map(|index| step("VRSUB__VI", 4 * (index % 7), 4, index)).collect();
        rotations.extend((0..9).map(|index| step("VROL__VV", 4 * (index % 7), 4 * (index % 8), 20)));
        let both = [&immediates[..], &registers[..]].concat();
        for steps in [immediates, registers, rotations, both] {
            in_all_shapes(program, &steps);
        }
    }
}

/// Runs that are just long enough, and too short by one; more operations than a function has.
#[test]
fn runs_of_any_length() {
    let program = program("rv64gcv_zvkng");
    for length in [7, 8, 9, 16] {
        let steps: Vec<Step> =
            (0..length).map(|index| step("VADD__VV", 4 * (index % 8), 4 * (index % 5), 4)).collect();
        in_all_shapes(&program, &steps);
    }
    // Eight columns of five operations each.
    let steps: Vec<Step> =
        (0..40).map(|index| step("VROL__VV", 8 * (index % 4), 8 * (index / 4 % 4), 8)).collect();
    for sew in [2, 3] {
        run(&program, (256, 3), sew, &steps).check(1);
    }
}

/// Functions between instructions that are none of theirs, on registers that both read and write: the host shifts no
/// doublewords arithmetically in one.
#[test]
fn functions_among_other_instructions() {
    let program = program("rv64gcv_zvkng");
    let shifts = |d, a| step("VSRA__VI", d, a, 3);
    let mut steps = vec![shifts(4, 8), shifts(12, 4), shifts(16, 20), shifts(28, 20)];
    steps.extend((0..9).map(|index| step("VADD__VV", 4 * (index % 2), 12 - 8 * (index % 2), 16)));
    steps.extend([shifts(20, 4), shifts(24, 12), shifts(8, 28), shifts(12, 0)]);
    in_all_shapes(&program, &steps);
}

/// Bodies that end before their registers do, at a column's end and elsewhere, with tails that stay and that do not.
#[test]
fn tails() {
    let program = program("rv64gcv_zvkng");
    let steps: Vec<Step> =
        (0..10).map(|index| step("VADD__VV", 4 * (index % 7), 4 * (index % 5), 4 * (index % 3))).collect();
    for (vlen, lmul, sew, avl) in [
        (512, 0, 3, Some(4)),
        (512, 0, 2, Some(8)),
        (512, 0, 2, Some(9)),
        (1024, 0, 1, Some(16)),
        (256, 1, 3, Some(4)),
        (128, 2, 2, Some(8)),
        (128, 2, 2, Some(16)),
        (512, 7, 2, None),
        (1024, 7, 0, None),
        (1024, 6, 1, None),
        (512, 7, 1, Some(0)),
    ] {
        for fill in [AgnosticFill::Undisturbed, AgnosticFill::Ones] {
            for sets_each_round in [false, true] {
                let run = run(&program, (vlen, lmul), sew, &steps);
                Run { fill, avl, sets_each_round, ..run }.check(1);
            }
        }
    }
}

fn steps(group: u32, count: usize) -> impl Strategy<Value = Vec<Step>> {
    let all = 32 / group;
    (1..=all, 0..all).prop_flat_map(move |(some, first)| {
        // A few registers, or all there are.
        let some = if some > 8 { all } else { some.min(4) };
        let register = move || (0..some).prop_map(move |index| (first + index) % all * group);
        let one = (select(&ALL[..]), register(), register(), register(), 11..30u32, 0..64u32);
        let one = one.prop_map(|((name, form), d, a, b, scalar, immediate)| {
            let b = match form {
                Form::Vector => b,
                Form::Scalar => scalar,
                Form::Immediate => immediate,
            };
            step(name, d, a, b)
        });
        proptest::collection::vec(one, count)
    })
}

/// Random runs: all lengths of registers and groups, elements and fills.
#[test]
fn random_runs() {
    let programs = ["rv64gcv_zvkng", "rv32gcv_zvkng"].map(program);
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0x3ade),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let case = (select(&[0u32, 0, 1, 1, 2, 3, 7, 6][..]), 8..60usize).prop_flat_map(|(lmul, count)| {
        let group = if lmul < 4 { 1 << lmul } else { 1 };
        (
            Just(lmul),
            steps(group, count),
            (select(&[128u32, 256, 256, 512, 1024][..]), 0..4i64, any::<u64>()),
            (any::<[bool; 4]>(), 0..3u32, 0..70u64, 1..60u64),
        )
    });
    let outcome = TestRunner::new(config).run(&case, |(lmul, steps, (vlen, sew, seed), others)| {
        let ([ones, narrow, sets_each_round, is_short], threshold, avl, pause) = others;
        let run = Run {
            program: &programs[usize::from(narrow)],
            vlen,
            fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
            vtype: i64::from(lmul) | sew << 3,
            avl: is_short.then_some(avl & !7),
            sets_each_round,
            steps,
            rounds: 4,
            x: randoms(seed ^ 5)
                .zip(numbers())
                .map(|(random, known)| if random >> 63 == 0 { random } else { known })
                .collect(),
            lanes: lanes(vlen, seed),
        };
        if !run.is_supported() {
            return Ok(());
        }
        run.check(threshold);
        run.setup().assert_equal_tiers(pause, 240 / pause + 2, threshold);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
