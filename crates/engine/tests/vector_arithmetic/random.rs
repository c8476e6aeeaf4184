//! Every instruction of the sets with random operands in random settings.

use std::cell::Cell;

use coredsl::ir::Instruction;
use engine::Program;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::run;
use crate::{CASES, HARTS};

/// Register files of random bytes, of corner values, of masks that are mostly clear, and of elements of
/// `sew` bits that are small enough to be indices, or zeros and ones, whose sums hang on a carry.
pub fn registers(vlenb: usize, sew: u32, seed: u64) -> Registers {
    let mut state = seed | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let corner = |byte: u8| [0, 1, 0x7f, 0x80, 0xff, 0xfe][usize::from(byte) % 6];
    let mut whole = 0;
    let bytes = (0..32 * vlenb).map(|at| {
        let (byte, choice) = (random(), random());
        let lowest = at % (sew as usize / 8) == 0;
        if lowest {
            whole = if choice < 128 { 0 } else { 0xff };
        }
        match seed % 5 {
            4 => whole,
            0 => byte,
            1 if choice < 8 => byte,
            2 if choice < 128 => byte,
            2 => corner(byte),
            3 if lowest => byte % 64,
            _ => 0,
        }
    });
    Registers { bytes: bytes.collect(), vlenb }
}

/// Mostly multiples of 8, so that most groups are aligned, at every LMUL.
fn register() -> impl Strategy<Value = u32> {
    prop_oneof![4 => (0..4u32).prop_map(|group| 8 * group), 2 => (0..16u32).prop_map(|pair| 2 * pair), 1 => 0..32u32]
}

fn x() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => any::<u64>(),
        3 => 0..40u64,
        2 => (0..40u64).prop_map(u64::wrapping_neg),
        1 => select(&[0x8000_0000, 1 << 63][..]),
    ]
}

fn setting(elen: u32) -> impl Strategy<Value = (u32, i32)> {
    let all: Vec<(u32, i32)> = (3..=elen.ilog2())
        .flat_map(|sew| (-3..=3).map(move |lmul| (sew, lmul)))
        .filter(|&(sew, lmul)| lmul >= sew as i32 - elen.ilog2() as i32)
        .map(|(sew, lmul)| (1 << sew, lmul))
        .collect();
    select(all)
}

fn case(
    instruction: &Instruction,
    isa: &'static str,
    vlens: &'static [usize],
) -> impl Strategy<Value = Case> + use<> {
    let name = instruction.name.clone();
    let vm = instruction.encoding.fields.iter().any(|field| field.name == "vm");
    let always_masked = name.ends_with('M') && name.contains("__V") && !name.starts_with("VCOMPRESS");
    let xlen = if isa.starts_with("rv32") { 32 } else { 64 };
    let elen = if isa.contains("zve32x") { 32 } else { 64 };
    let operands = (register(), register(), prop_oneof![2 => register(), 1 => 0..32u32], x(), any::<bool>());
    let policy = (any::<[bool; 3]>(), 0..4u32);
    let lengths = (any::<[u16; 2]>(), 0..4u8);
    (setting(elen), select(vlens), operands, policy, lengths, any::<u64>()).prop_map(
        move |((sew, lmul), vlen, (vd, vs2, rs1, x, masked), ([ta, ma, ones], vxrm), lengths, seed)| {
            let ([vl, vstart], shape) = lengths;
            let mut case = Case {
                name: name.clone(),
                vd,
                vs2,
                rs1,
                masked: always_masked || vm && masked,
                x: if rs1 == 0 { 0 } else { x & u64::MAX >> (64 - xlen) },
                xlen,
                elen,
                wide_products: isa.contains("gcv"),
                sew,
                lmul,
                tail_agnostic: ta,
                mask_agnostic: ma,
                ones,
                vl: 0,
                vstart: 0,
                vxrm,
                registers: registers(vlen / 8, sew, seed),
            };
            let vlmax = case.vlmax();
            case.vl = if shape & 1 == 0 { vlmax } else { usize::from(vl) % (vlmax + 1) };
            let vstart = if shape & 2 == 0 { 0 } else { usize::from(vstart) % (vlmax + 1) };
            case.vstart = vstart.min(8 * case.registers.vlenb - 1);
            case
        },
    )
}

/// Instructions of the vector sets that this test program is for.
fn instructions(program: &Program, sets: &[&str]) -> Vec<Instruction> {
    let found: Vec<Instruction> = program
        .module()
        .instructions
        .iter()
        .filter(|instruction| sets.contains(&instruction.set.as_str()))
        .cloned()
        .collect();
    assert!(!found.is_empty());
    found
}

/// Every instruction of these sets does on every hart what the model does, and is executed at all.
fn agrees_with_model(sets: &[&str]) {
    for (isa, vlens) in HARTS {
        let program = guest::program(isa);
        for instruction in instructions(&program, sets) {
            let executed = Cell::new(0);
            let config = Config {
                cases: CASES,
                rng_seed: RngSeed::Fixed(0x5eed),
                failure_persistence: None,
                max_shrink_iters: 200,
                ..Config::default()
            };
            let result = TestRunner::new(config).run(&case(&instruction, isa, vlens), |case| {
                match (model::execute(&case), run::run(&program, &case)) {
                    (None, Err(_)) => {}
                    (Some(mut wanted), Ok(got)) => {
                        wanted.x = wanted.x.map(|x| if case.vd == 0 { 0 } else { x });
                        prop_assert_eq!(&wanted.registers, &got.registers);
                        prop_assert_eq!(wanted.x, got.x);
                        prop_assert_eq!(wanted.saturated, got.saturated);
                        executed.set(executed.get() + 1);
                    }
                    (None, Ok(_)) => prop_assert!(false, "the engine executes what is reserved"),
                    (Some(_), Err(rule)) => prop_assert!(false, "legal, but the engine says: {rule}"),
                }
                Ok(())
            });
            if let Err(error) = result {
                panic!("{isa}, {}: {error}", instruction.name);
            }
            let needs_64_bits = instruction.name.ends_with("VF8") && isa.contains("zve32x");
            assert!(executed.get() > 0 || needs_64_bits, "{isa}: {} is never legal", instruction.name);
        }
    }
}

#[test]
fn integer_instructions_agree_with_the_model() {
    agrees_with_model(&["VectorInteger", "VectorCompare"]);
}

#[test]
fn multiplications_and_widths_agree_with_the_model() {
    agrees_with_model(&["VectorMultiply", "VectorWidening"]);
}

#[test]
fn fixed_point_instructions_agree_with_the_model() {
    agrees_with_model(&["VectorFixedPoint"]);
}

#[test]
fn reductions_and_masks_agree_with_the_model() {
    agrees_with_model(&["VectorReduction", "VectorMask"]);
}

#[test]
fn permutations_agree_with_the_model() {
    agrees_with_model(&["VectorPermutation"]);
}
