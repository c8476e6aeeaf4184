//! Loops of instructions that compiled code calls without checks of its own: what they would have checked changes from
//! round to round.

use coredsl::ir::Instruction;
use engine::Program;
use hart::AgnosticFill;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::Setup;
use crate::guest::{encode, program};
use crate::numbers::{FORMATS, kind, randoms};

const CASES: u32 = 300;
/// Instructions in a loop.
const LENGTH: usize = 8;
const ROUNDS: i64 = 31;
/// CSRs that a loop writes, and the registers with what is written: `fflags`, `frm`, `vstart`, `vxsat`, `mstatus`.
const WRITES: [(i64, i64); 7] =
    [(0x001, 16), (0x002, 17), (0x008, 18), (0x009, 16), (0x300, 19), (0x300, 20), (0x300, 20)];
/// Beginnings of the names, twice those of which there are few.
const NAMES: [&str; 20] = [
    "VF", "VF", "VMF", "VMS", "VMADC", "VMSBC", "VADC", "VSBC", "VMERGE", "VW", "VW", "VN", "VCPOP",
    "VFIRST", "VMSBF", "VMSIF", "VCLMUL", "VG", "VAES", "VSHA",
];

/// One instruction of a loop.
#[derive(Clone, Debug)]
struct Choice {
    kind: u32,
    name: usize,
    which: Index,
    registers: [u32; 3],
    masked: bool,
}

fn choice() -> impl Strategy<Value = Choice> {
    let register = || prop_oneof![4 => (1..4u32).prop_map(|group| 8 * group), 1 => 0..32u32];
    let parts =
        (0..12u32, 0..NAMES.len(), any::<Index>(), [register(), register(), register()], any::<bool>());
    parts.prop_map(|(kind, name, which, registers, masked)| Choice { kind, name, which, registers, masked })
}

fn word(program: &Program, choice: &Choice) -> u32 {
    let module = program.module();
    let Choice { kind, name, which, registers: [d, a, b], masked } = choice;
    match kind {
        0 => {
            let (csr, register) = which.get(&WRITES);
            encode(module, "CSRRW", &[("rd", 0), ("csr", *csr), ("rs1", *register)])
        }
        // Other lengths.
        1 => encode(module, "ADDI", &[("rd", 10), ("rs1", 10), ("imm", i64::from(*a) - 17)]),
        2 => encode(module, "VSETVLI", &[("rd", 0), ("rs1", 10), ("zimm", 0xc0 | i64::from(a / 8) << 3)]),
        _ => {
            let all = module.instructions.iter();
            let those: Vec<&Instruction> =
                all.filter(|instruction| instruction.name.starts_with(NAMES[*name])).collect();
            let instruction = which.get(&those);
            let bits = d << 7 | b << 15 | a << 20 | u32::from(!masked) << 25;
            instruction.encoding.value | bits & !instruction.encoding.mask
        }
    }
}

#[test]
fn what_bodies_would_check_changes_from_round_to_round() {
    let programs = ["rv64gcv_zvfh_zvkng_zvbb_zvbc", "rv32gcv_zvfh_zvkng_zvbb_zvbc"].map(program);
    let case = (
        proptest::collection::vec(choice(), LENGTH),
        (kind(), any::<u64>(), select(&[1usize, 2, 2, 3][..]), select(&[7i64, 0, 0, 1, 2][..])),
        (select(&[128, 256][..]), 0..3u32, 3..40u64, any::<[bool; 2]>()),
        // fflags, frm, vstart and mstatus.
        (select(&[1u64, 0x1f, 0][..]), select(&[0u64, 0, 1, 4, 5][..]), select(&[0u64, 1, 3, 4][..])),
        select(&[0x1e00u64, 0x3e00, 0x6800, 0x5a00][..]),
        select(&[0u64, 8, 16, 33, 100][..]),
    );
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0xb0d1e5),
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&case, |(choices, numbers, shape, csrs, status, length)| {
        let ((kind, seed, sew, lmul), (vlen, threshold, steps, [ones, narrow])) = (numbers, shape);
        let program = &programs[usize::from(narrow)];
        let module = program.module();
        let zimm = lmul | (sew as i64) << 3 | 0xc0;
        let mut words = vec![encode(module, "VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", zimm)])];
        words.extend(choices.iter().map(|choice| word(program, choice)));
        words.push(encode(module, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        let back = -4 * (words.len() as i64 - 1);
        words.push(encode(module, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[("rd", 0), ("imm", 0)]));
        // It turns both units on and goes on after the instruction.
        let handler = vec![
            encode(module, "CSRRW", &[("rd", 0), ("csr", 0x300), ("rs1", 21)]),
            encode(module, "CSRRW", &[("rd", 0), ("csr", 0x002), ("rs1", 0)]),
            encode(module, "CSRRS", &[("rd", 30), ("csr", 0x341)]),
            encode(module, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
            encode(module, "CSRRW", &[("csr", 0x341), ("rs1", 30)]),
            encode(module, "MRET", &[]),
        ];
        let mut x = vec![0; 32];
        (x[10], x[16], x[17], x[18], x[19], x[20], x[21]) =
            (length, csrs.0, csrs.1, csrs.2, status, 0x7e00, 0x7e00);
        (x[1], x[8], x[24], x[ROUNDS as usize]) = (u64::MAX, 0x1234_5678_9abc_def0, 3, 7);
        let format = FORMATS[[2, 2, 0, 1][sew]];
        let width = 1 << sew;
        let lanes = randoms(seed)
            .take(32 * vlen as usize / 8 / width)
            .flat_map(|random| format.number(kind, random).to_le_bytes()[..width].to_vec())
            .collect();
        let setup = Setup {
            vlen,
            fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
            handler,
            x,
            floats: randoms(seed ^ 1).take(32).map(|random| format.register(kind, random)).collect(),
            lanes,
            ..Setup::new(program, words)
        };
        setup.assert_equal_tiers(steps, 400 / steps + 2, threshold);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
