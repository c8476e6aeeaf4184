//! Loops of random instructions, every vector one among them: settings change from round to round, groups
//! overlap, accesses fault in the middle, and a handler goes on after what traps.

use coredsl::ir::{Behavior, Instruction};
use engine::Program;
use hart::AgnosticFill;
use isa::{Instructions, Xlen};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::Setup;
use crate::guest::{BASE, DATA, SIZE, encode, program};

/// Instructions in a loop.
const LENGTH: usize = 12;
const CASES: u32 = 50;
/// Registers of a loop by what they hold.
const LENGTHS: u32 = 5;
const ADDRESSES: u32 = 10;
const STRIDES: u32 = 14;
const TYPES: u32 = 16;
const ROUNDS: i64 = 31;
/// Instructions that compiled code has ways of its own for.
const FAVOURED: [&str; 53] = [
    "VADD__VV",
    "VADD__VX",
    "VADD__VI",
    "VSUB__VX",
    "VRSUB__VI",
    "VAND__VI",
    "VXOR__VV",
    "VSLL__VI",
    "VSRL__VX",
    "VSRA__VV",
    "VMUL__VX",
    "VMACC__VX",
    "VMADD__VV",
    "VNMSUB__VX",
    "VMULHSU__VX",
    "VMIN__VX",
    "VMAXU__VV",
    "VMV__V__V",
    "VMV__V__X",
    "VMV__V__I",
    "VMV2R__V",
    "VANDN__VX",
    "VROR__VI",
    "VROL__VX",
    "VROR__VV",
    "VBREV8__V",
    "VREV8__V",
    "VCPOP__V",
    "VSLIDEUP__VX",
    "VSLIDEUP__VI",
    "VSLIDEDOWN__VX",
    "VSLIDEDOWN__VI",
    "VSLIDE1DOWN__VX",
    "VRGATHER__VV",
    "VRGATHER__VX",
    "VRGATHER__VI",
    "VRGATHEREI16__VV",
    "VCOMPRESS__VM",
    "VREDSUM__VS",
    "VREDXOR__VS",
    "VREDMAX__VS",
    "VIOTA__M",
    "VID__V",
    "VAESZ__VS",
    "VAESEM__VS",
    "VAESEF__VS",
    "VAESDM__VS",
    "VAESDF__VS",
    "VLE8__V",
    "VSE32__V",
    "VLSEGE32__V",
    "VLSSEGE32__V",
    "VL2RE32__V",
];

/// What one instruction of a loop is made of.
#[derive(Clone, Debug)]
struct Choice {
    kind: u32,
    which: Index,
    bits: u32,
    aligned: bool,
}

fn choice() -> impl Strategy<Value = Choice> {
    let parts = (0..100u32, any::<Index>(), any::<u32>(), proptest::bool::weighted(0.8));
    parts.prop_map(|(kind, which, bits, aligned)| Choice { kind, which, bits, aligned })
}

fn word(program: &Program, vector: &[&Instruction], choice: &Choice) -> u32 {
    let module = program.module();
    let Choice { kind, which, mut bits, aligned } = choice.clone();
    let small = i64::from(bits >> 8 & 0xff) - 100;
    let register = |first: u32, count: u32| i64::from(first + bits % count);
    match kind {
        // Settings that are mostly supported.
        0..20 => {
            let zimm = i64::from(bits >> 16 & 0xdb);
            let avl = if bits & 0x300 == 0 { 0 } else { register(LENGTHS, 3) };
            let rd = if bits & 0xc00 == 0 { 20 } else { 0 };
            match bits >> 12 & 3 {
                0 => encode(module, "VSETIVLI", &[("rd", rd), ("uimm", register(0, 32)), ("zimm", zimm)]),
                1 if bits & 0x8000 == 0 => {
                    encode(module, "VSETVL", &[("rd", rd), ("rs1", avl), ("rs2", TYPES.into())])
                }
                _ => encode(module, "VSETVLI", &[("rd", rd), ("rs1", avl), ("zimm", zimm)]),
            }
        }
        // Other lengths, addresses, strides and types in the next round.
        20..28 => {
            encode(module, "ADDI", &[("rd", register(5, 12)), ("rs1", register(5, 12)), ("imm", small & !7)])
        }
        28..30 => encode(module, "CSRRW", &[("rd", 0), ("csr", 0x300), ("rs1", 17 + i64::from(bits & 1))]),
        30..31 => encode(module, "CSRRW", &[("rd", 0), ("csr", 0x008), ("rs1", 19)]),
        _ => {
            let favoured = || {
                let name = FAVOURED[which.index(FAVOURED.len())];
                vector.iter().find(|instruction| instruction.name == name).expect("an instruction")
            };
            let instruction = if kind < 70 { favoured() } else { &vector[which.index(vector.len())] };
            if aligned {
                // Operands at multiples of eight, or of two; seldom masked.
                bits &=
                    if bits & 1 == 0 { !(0x0071_c380 & !(0x18 << 7 | 0x18 << 15)) } else { !(0x0010_8080) };
                bits |= if bits & 0x6000 == 0 { 0 } else { 1 << 25 };
            }
            let opcode = instruction.encoding.value & 0x7f;
            if matches!(opcode, 0x07 | 0x27) {
                bits = bits & !(31 << 15) | (ADDRESSES + (bits >> 15 & 3)) << 15;
                if instruction.encoding.value >> 26 & 3 == 2 {
                    bits = bits & !(31 << 20) | (STRIDES + (bits >> 20 & 1)) << 20;
                }
            }
            instruction.encoding.value | bits & !instruction.encoding.mask
        }
    }
}

fn address() -> impl Strategy<Value = u64> {
    prop_oneof![
        5 => (0..0x200u64).prop_map(|index| DATA + 8 * index),
        2 => (0..0x800u64).prop_map(|offset| DATA + offset),
        1 => (0..0x100u64).prop_map(|offset| BASE + SIZE as u64 - offset),
        1 => (0..0x100u64).prop_map(|offset| crate::TOHOST - offset),
    ]
}

fn check(xlen: Xlen, vlens: &[u32], cases: u32) {
    let everything = Instructions::all(xlen).expect("the built-in descriptions are sound");
    let program = program(&everything.isa().to_string());
    let module = program.module();
    let is_vector = |instruction: &&Instruction| {
        matches!(instruction.behavior, Behavior::Extern) && instruction.name.starts_with('V')
    };
    let vector: Vec<&Instruction> = module.instructions.iter().filter(is_vector).collect();
    let handler = vec![
        encode(module, "CSRRS", &[("rd", 30), ("csr", 0x341)]),
        encode(module, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
        encode(module, "CSRRW", &[("csr", 0x341), ("rs1", 30)]),
        encode(module, "MRET", &[]),
    ];
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(0x5e7),
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..Config::default()
    };
    let case = (
        proptest::collection::vec(choice(), LENGTH),
        proptest::collection::vec(0..200u64, 3),
        proptest::collection::vec(address(), 4),
        proptest::collection::vec(
            proptest::sample::select(&[0, 4, 8, 16, 64, 3, (-8i64) as u64, 1 << 40][..]),
            2,
        ),
        (0..0x100u64, 0..20u64, any::<bool>(), 0..3u32, any::<Index>(), 1..50u64),
    );
    let outcome = TestRunner::new(config).run(&case, |(choices, lengths, addresses, strides, others)| {
        let (vtype, vstart, ones, threshold, vlen, steps) = others;
        let mut words: Vec<u32> = choices.iter().map(|choice| word(&program, &vector, choice)).collect();
        words.push(encode(module, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        let back = -4 * words.len() as i64;
        words.push(encode(module, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[("rd", 0), ("imm", 0)]));
        let mut x = vec![0; 32];
        for (first, values) in [(LENGTHS, &lengths), (ADDRESSES, &addresses), (STRIDES, &strides)] {
            x[first as usize..][..values.len()].copy_from_slice(values);
        }
        x[TYPES as usize] = vtype & 0xdb;
        // The unit on, its state changed or as at reset; and off.
        (x[17], x[18], x[19]) = (0x3a00, if vtype & 1 == 0 { 0x3800 } else { 0x3e00 }, vstart);
        for (register, value) in x.iter_mut().enumerate().take(30).skip(21) {
            *value = 0x1234_5678_9abc_def0_u64.rotate_left(7 * register as u32);
        }
        x[ROUNDS as usize] = 6;
        let fill = if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let vlen = vlens[vlen.index(vlens.len())];
        let setup = Setup { vlen, fill, handler: handler.clone(), x, ..Setup::new(&program, words) };
        setup.assert_equal_tiers(steps, 300 / steps + 2, threshold);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("on {xlen:?}: {error}"));
}

#[test]
fn rv32_loops() {
    check(Xlen::Rv32, &[128, 256, 512], CASES);
}

#[test]
fn rv64_loops() {
    check(Xlen::Rv64, &[128, 256, 512, 1024], 2 * CASES);
}

#[test]
fn long_registers() {
    check(Xlen::Rv64, &[65_536], 10);
}
