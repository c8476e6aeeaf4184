//! Single instructions in loops that renew what they need, so that what is compiled is what executes.

use super::{FFLAGS, FRM, PROGRAMS, ROUNDS, Setup, looped, op, write};
use crate::guest::{BASE, DATA, SIZE};
use crate::numbers::{FORMATS, Kind};

/// Bits that no format takes for its own.
const BITS: u64 = 0x8123_4567_89ab_cdef;
const ARITHMETIC: [&str; 9] = ["FADD", "FSUB", "FMUL", "FDIV", "FSQRT", "FMADD", "FMSUB", "FNMSUB", "FNMADD"];

/// Every instruction that computes, of near numbers, with NX raised or not, as every mode rounds.
#[test]
fn arithmetic() {
    for program in PROGRAMS.iter() {
        for format in FORMATS {
            for name in ARITHMETIC {
                for (flags, mode, rm) in [(1, 0, 7), (1, 0, 0), (0, 0, 7), (1, 1, 7), (1, 1, 0), (1, 0, 3)] {
                    let name = format!("{name}__{}", format.letter);
                    let fields = [("rs1", 1), ("rs2", 2), ("rs3", 3), ("rm", rm)];
                    // Into another register, and into one that it reads.
                    let words: Vec<u32> =
                        [4, 1].map(|rd| op(program, &name, &[&fields[..], &[("rd", rd)]].concat())).into();
                    let again = [&[write(program, FFLAGS, 16), write(program, FRM, 17)], &words[..]].concat();
                    let mut setup = Setup::new(program, looped(program, &[], &again));
                    (setup.x[16], setup.x[17], setup.x[ROUNDS as usize]) = (flags, mode, 6);
                    let number = |random: u64| format.register(Kind::Near, random);
                    setup.floats = vec![
                        0,
                        number(0x2fff_1234_5678_9abd),
                        number(0x31f0_9876_5432_1357),
                        number(0x2de1_3141_5926_5359),
                    ];
                    let entered = setup.assert_equal_tiers(40, 1, 1);
                    assert!(entered > 0, "{name} was not compiled");
                }
            }
        }
    }
}

/// The product lies so far below the smallest normal number that it underflows, but is rounded to it.
#[test]
fn what_was_rounded_up_to_the_smallest_normal_number_has_underflowed() {
    for program in PROGRAMS.iter() {
        for (letter, factor, below_two) in [
            ('S', 0xffff_ffff_0040_0000_u64, 0xffff_ffff_3fff_ffff_u64),
            ('D', 1 << 51, 0x3fff_ffff_ffff_ffff),
        ] {
            let fields = [("rd", 3), ("rs1", 1), ("rs2", 2), ("rm", 7)];
            let product = op(program, &format!("FMUL__{letter}"), &fields);
            let mut setup = Setup::new(program, looped(program, &[], &[write(program, FFLAGS, 16), product]));
            setup.x[16] = 1;
            setup.floats = vec![0, factor, below_two];
            setup.assert_equal_tiers(21, 4, 1);
        }
    }
}

/// Bits that are moved, stored, loaded and moved back in every round, near and far, aligned and not.
#[test]
fn moves_and_accesses() {
    for (index, program) in PROGRAMS.iter().enumerate() {
        for (width, load, store, letter) in
            [(2, "FLH", "FSH", "H"), (4, "FLW", "FSW", "W"), (8, "FLD", "FSD", "D")]
        {
            for offset in [0i64, 8, -8, 1, -5, 24, 2047, -2048] {
                let mut again = vec![
                    op(program, store, &[("rs2", 1), ("rs1", 8), ("imm", offset)]),
                    op(program, load, &[("rd", 2), ("rs1", 8), ("imm", offset)]),
                    op(program, load, &[("rd", 3), ("rs1", 8), ("imm", offset ^ 1)]),
                ];
                if index == 0 || width < 8 {
                    again.push(op(program, &format!("FMV__X__{letter}"), &[("rd", 5), ("rs1", 1)]));
                    again.push(op(program, &format!("FMV__X__{letter}"), &[("rd", 0), ("rs1", 1)]));
                    again.push(op(program, &format!("FMV__{letter}__X"), &[("rd", 4), ("rs1", 6)]));
                    again.push(op(program, &format!("FMV__{letter}__X"), &[("rd", 5), ("rs1", 0)]));
                }
                let mut setup = Setup::new(program, looped(program, &[], &again));
                (setup.x[6], setup.x[8], setup.x[ROUNDS as usize]) = (BITS, DATA + 0x808, 5);
                setup.floats = vec![0, BITS | 0x8000_8080];
                setup.data = vec![BITS.rotate_left(9); 0x300];
                let entered = setup.assert_equal_tiers(44, 1, 1);
                assert!(entered > 0, "{load} was not compiled");
            }
        }
    }
}

/// A walk over the end of memory, and one from before it, by loads and stores.
#[test]
fn accesses_that_fault_in_a_later_round() {
    for program in PROGRAMS.iter() {
        for name in ["FLH", "FLW", "FLD", "FSH", "FSW", "FSD"] {
            for (from, step) in [(BASE + SIZE as u64 - 61, 6), (BASE + 61, -6)] {
                let access = op(program, name, &[("rd", 1), ("rs1", 8), ("rs2", 1), ("imm", -3)]);
                // The code itself is not stored to.
                let from = if step < 0 && name.starts_with("FS") { super::TOHOST + 61 } else { from };
                let again = [access, op(program, "ADDI", &[("rd", 8), ("rs1", 8), ("imm", step)])];
                let mut setup = Setup::new(program, looped(program, &[], &again));
                setup.x[8] = from;
                setup.floats = vec![0, BITS];
                setup.assert_equal_tiers(100, 1, 1);
            }
        }
    }
}
