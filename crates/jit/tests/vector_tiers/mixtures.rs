//! Loops in which runs of element-wise instructions are interrupted by all that may look at vector registers or leave
//! the block: accesses that hit or fail, branches, kernels, settings, and budgets that end anywhere.

use engine::Program;
use hart::AgnosticFill;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::columns::own;
use crate::guest::{BASE, DATA, SIZE, encode};
use crate::model::{ALL, Form, ROUNDS, step};
use crate::numbers::randoms;
use crate::{Setup, TOHOST};

const CASES: u32 = 120;
/// Registers of addresses, each of which moves by eight bytes times its place in a round.
const ADDRESSES: [i64; 4] = [10, 11, 12, 13];
/// Registers of numbers.
const NUMBERS: u32 = 14;
/// Address of the first instruction.
const START: i64 = 30;

/// One instruction, before it is known where it is and how wide groups are.
#[derive(Clone, Debug)]
struct Choice {
    kind: u32,
    which: usize,
    registers: [u32; 3],
    scalar: u32,
    immediate: u32,
}

fn choice(some: u32) -> impl Strategy<Value = Choice> {
    let register = move || 0..some;
    let parts = (0..100u32, 0..10_000usize, [register(), register(), register()], NUMBERS..28, 0..64u32);
    parts.prop_map(|(kind, which, registers, scalar, immediate)| Choice {
        kind,
        which,
        registers,
        scalar,
        immediate,
    })
}

/// How groups are named in a loop.
#[derive(Clone, Copy)]
struct Groups {
    lmul: u32,
    sew: i64,
    first: u32,
    /// Whether settings change within the loop: else all of it is compiled for the one before it.
    changes: bool,
}

impl Groups {
    fn register(self, index: u32) -> u32 {
        ((self.first + index) << self.lmul) & 31
    }
}

fn word(program: &Program, choice: &Choice, groups: Groups, at: usize, length: usize) -> u32 {
    let module = program.module();
    let Choice { kind, which, registers, scalar, immediate } = choice;
    let (which, scalar, small) = (*which, i64::from(*scalar), i64::from(*immediate));
    let [d, a, b] = registers.map(|index| groups.register(index));
    let vectors = [("vd", i64::from(d)), ("vs2", i64::from(a)), ("vs1", i64::from(b)), ("vm", 1)];
    let address = ADDRESSES[which % 4];
    let op = |name: &str, fields: &[(&str, i64)]| encode(module, name, fields);
    match kind {
        0..55 => {
            let (name, form) = ALL[which % ALL.len()];
            let b = match form {
                Form::Vector => b,
                Form::Scalar => scalar as u32,
                Form::Immediate => *immediate,
            };
            step(name, d, a, b).word(program)
        }
        55..60 => {
            let names = ["LW", "LBU", "LD", "LH"];
            let name = names[which / 4 % if program.isa().xlen() == isa::Xlen::Rv32 { 2 } else { 4 }];
            op(name, &[("rd", scalar), ("rs1", address), ("imm", small - 20)])
        }
        60..64 => {
            let name = ["SW", "SB", "SH"][which / 4 % 3];
            op(name, &[("rs2", scalar), ("rs1", address), ("imm", small - 20)])
        }
        69..75 => {
            let eew = ["8", "16", "32", "64"][groups.sew as usize];
            let fields = [("rs1", address), ("vm", i64::from(which / 64 % 8 != 0))];
            match which / 4 % 2 {
                0 => op(&format!("VLE{eew}__V"), &[("vd", d.into()), fields[0], fields[1]]),
                _ => op(&format!("VSE{eew}__V"), &[("vs3", d.into()), fields[0], fields[1]]),
            }
        }
        75..83 => match which % 11 {
            0 => op("VSLIDEUP__VI", &[vectors[0], vectors[1], ("uimm5", small & 7), ("vm", 1)]),
            1 => op("VSLIDEDOWN__VX", &[vectors[0], vectors[1], ("rs1", scalar), ("vm", 1)]),
            2 => op("VRGATHER__VV", &vectors),
            3 => op("VREDSUM__VS", &vectors),
            4 => op("VADD__VV", &[vectors[0], vectors[1], vectors[2], ("vm", 0)]),
            5 => op("VMSLTU__VV", &vectors),
            6 => op("VSADDU__VV", &vectors),
            7 => op("VAADD__VV", &vectors),
            8 => op("VSSRL__VX", &[vectors[0], vectors[1], ("rs1", scalar), ("vm", 1)]),
            9 => op("VNCLIP__WI", &[vectors[0], vectors[1], ("uimm5", small & 31), ("vm", 1)]),
            _ => op("VDIVU__VV", &vectors),
        },
        83..87 if groups.changes => {
            let zimm = i64::from(groups.lmul) | groups.sew << 3 | [0, 0x40, 0xc0][which % 3];
            let asked = if which / 4 % 2 == 0 { 0 } else { scalar };
            op("VSETVLI", &[("rd", if asked == 0 { 5 } else { 0 }), ("rs1", asked), ("zimm", zimm)])
        }
        64..69 | 83..87 => {
            let (other, name) = (i64::from(NUMBERS + a % 14), ["ADD", "XOR", "SUB", "MUL"][which % 4]);
            op(name, &[("rd", scalar), ("rs1", other), ("rs2", i64::from(NUMBERS + b % 14))])
        }
        87..94 => {
            // To one of those that follow, or to where the loop counts.
            let on = 4 * (2 + small % 6).min((length - at) as i64);
            match which % 6 {
                0 => op("JAL", &[("imm", on)]),
                1 => op("JALR", &[("rs1", START), ("imm", 4 * (at as i64 + 1) + on)]),
                2 => op("BLT", &[("rs1", scalar), ("rs2", 0), ("imm", on)]),
                _ => {
                    let rounds = i64::from(NUMBERS + 14) + (which / 8 % 2) as i64;
                    op(["BEQ", "BNE"][which / 16 % 2], &[("rs1", ROUNDS), ("rs2", rounds), ("imm", on)])
                }
            }
        }
        94..96 => op("FADD__S", &[("rd", d.into()), ("rs1", a.into()), ("rs2", b.into()), ("rm", 7)]),
        96..99 => {
            let name = ["TAKES", "GIVES", "RAISES"][which / 4 % 3];
            op(name, &[("rd", scalar), ("rs1", ROUNDS), ("rs2", address)])
        }
        _ => match which % 5 {
            0 => op("ECALL", &[]),
            1 => op("CSRRW", &[("rd", 0), ("csr", 2), ("rs1", ROUNDS)]),
            2 => op("CSRRS", &[("rd", scalar), ("csr", 0xc20)]),
            3 => op("CSRRW", &[("rd", 0), ("csr", 10), ("rs1", ROUNDS)]),
            _ => op("FENCE", &[]),
        },
    }
}

/// Beginnings of accesses that come to an end of memory, to `tohost`, or to nothing.
fn address() -> impl Strategy<Value = u64> {
    let end = BASE + SIZE as u64;
    prop_oneof![
        4 => (0..0x80u64).prop_map(|index| DATA + 0x100 + 8 * index),
        3 => (0..0x60u64).prop_map(move |offset| end - offset),
        1 => (1..0x60u64).prop_map(|offset| TOHOST - offset),
    ]
}

#[test]
fn whatever_leaves_or_looks() {
    let programs = ["rv64gcv_zvkng", "rv32gcv_zvkng"].map(own);
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0xc01),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let case = (
        (2..=32u32).prop_flat_map(|some| proptest::collection::vec(choice(some), 6..50)),
        (select(&[128u32, 128, 256, 512][..]), select(&[0u32, 0, 0, 1, 2][..]), 0..4i64, 0..32u32),
        (proptest::collection::vec(address(), 4), any::<u64>(), any::<[bool; 6]>()),
        (0..3u32, 1..120u64),
    );
    let outcome = TestRunner::new(config).run(&case, |(choices, shape, data, (threshold, pause))| {
        let ((vlen, lmul, sew, first), (addresses, seed, flags)) = (shape, data);
        let [ones, narrow, handles, paged, sets_each_round, changes] = flags;
        let program = &programs[usize::from(narrow)];
        let module = program.module();
        let groups = Groups { lmul, sew, first, changes: changes && sets_each_round };
        let zimm = i64::from(lmul) | sew << 3 | 0xc0;
        let mut words = vec![encode(module, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", zimm)])];
        let length = choices.len();
        words
            .extend(choices.iter().enumerate().map(|(at, choice)| word(program, choice, groups, at, length)));
        for (index, register) in ADDRESSES.into_iter().enumerate() {
            let by = 8 * (index as i64 + 1);
            words.push(encode(module, "ADDI", &[("rd", register), ("rs1", register), ("imm", by)]));
        }
        words.push(encode(module, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        let back = -4 * (words.len() - usize::from(!sets_each_round)) as i64;
        words.push(encode(module, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[]));
        // It stores a register where no access looks, and goes on after the instruction.
        let handler = vec![
            encode(module, "VS1R__V", &[("vs3", i64::from(groups.register(0))), ("rs1", 6)]),
            encode(module, "ADDI", &[("rd", 6), ("rs1", 6), ("imm", 16)]),
            encode(module, "CSRRS", &[("rd", 7), ("csr", 0x341)]),
            encode(module, "ADDI", &[("rd", 7), ("rs1", 7), ("imm", 4)]),
            encode(module, "CSRRW", &[("csr", 0x341), ("rs1", 7)]),
            encode(module, "MRET", &[]),
        ];
        let mut x: Vec<u64> = randoms(seed).take(32).collect();
        // Some are small, as lengths and counts.
        x.iter_mut().skip(18).take(5).for_each(|value| *value &= 0x3f);
        x[ADDRESSES[0] as usize..][..4].copy_from_slice(&addresses);
        (x[0], x[6], x[28], x[29]) = (0, DATA + 0x800, 3, 5);
        (x[START as usize], x[ROUNDS as usize]) = (BASE, 7);
        let setup = Setup {
            vlen,
            fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
            handler: if handles { handler } else { Vec::new() },
            x,
            floats: (0..32).map(|register| 0xffff_ffff_3f80_0000 + 0x1001 * register).collect(),
            paged,
            ..Setup::new(program, words)
        };
        setup.assert_equal_tiers(pause, 400 / pause + 2, threshold);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
