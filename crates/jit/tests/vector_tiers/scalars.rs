//! Floating-point registers that elements are computed with, before and after instructions that write them, in one block.

use crate::Setup;
use crate::guest::{DATA, encode, program};

/// With their sources, which differ.
const WRITING: [(&str, &[(&str, i64)]); 11] = [
    ("FLW", &[("rs1", 12), ("imm", 8)]),
    ("FLD", &[("rs1", 12), ("imm", 16)]),
    ("FMV__W__X", &[("rs1", 13)]),
    ("FCVT__S__W", &[("rs1", 14)]),
    ("FADD__S", &[("rs1", 2), ("rs2", 3)]),
    ("FADD__D", &[("rs1", 4), ("rs2", 4)]),
    ("FMIN__S", &[("rs1", 3), ("rs2", 5)]),
    ("FSGNJ__D", &[("rs1", 6), ("rs2", 4)]),
    ("FSGNJN__S", &[("rs1", 5), ("rs2", 5)]),
    ("VFMV__F__S", &[("vs2", 20)]),
    ("FSGNJ__D", &[("rs1", 7), ("rs2", 7)]),
];
/// A register that is written, and read by instructions on elements.
const F: i64 = 1;

#[test]
fn registers_change_within_a_block() {
    for (isa, sew) in [("rv64gcv", 2), ("rv32gcv", 2), ("rv64gcv", 3)] {
        let program = program(isa);
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let uses = |d: i64| {
            [
                op("VFMV__V__F", &[("vd", d), ("rs1", F)]),
                op("VFADD__VF", &[("vd", d + 1), ("vs2", 20), ("rs1", F), ("vm", 1)]),
                // Of NaNs, which are computed otherwise.
                op("VMFLT__VF", &[("vd", d + 2), ("vs2", 21), ("rs1", F), ("vm", 1)]),
                op("VFMERGE__VFM", &[("vd", d + 3), ("vs2", 20), ("rs1", F)]),
            ]
        };
        let pairs = WRITING.iter().flat_map(|first| WRITING.iter().map(move |second| (first, second)));
        for (first, second) in pairs {
            let writes =
                |(name, sources): &(&str, &[(&str, i64)])| op(name, &[&[("rd", F)][..], sources].concat());
            let setting = op("VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xc0 | sew << 3)]);
            let mut words = vec![setting, writes(first)];
            words.extend(uses(8));
            words.push(writes(second));
            words.extend(uses(12));
            words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
            let mut x = vec![0; 32];
            (x[12], x[13], x[14]) = (DATA, 0x4123_4567, 77);
            let boxed = |number: f32| u64::from(number.to_bits()) | 0xffff_ffff << 32;
            let mut floats = vec![0; 32];
            (floats[2], floats[3], floats[5]) = (boxed(1.5), boxed(0.1), boxed(-3.25));
            // Two that are no boxed numbers, and one that is.
            (floats[4], floats[6], floats[7]) = (1.1_f64.to_bits(), 0x1234_5678_3f80_0000, boxed(9.0));
            let size = 1 << sew;
            let number = |index: usize| match (index / (16 / size), sew) {
                (21, 2) => u64::from(f32::NAN.to_bits()),
                (21, _) => f64::NAN.to_bits(),
                (_, 2) => u64::from((index as f32 + 0.3).to_bits()),
                _ => (index as f64 + 0.3).to_bits(),
            };
            let lanes: Vec<u8> =
                (0..512 / size).flat_map(|index| number(index).to_le_bytes()[..size].to_vec()).collect();
            let setup = Setup { x, floats, lanes, ..Setup::new(&program, words) };
            setup.assert_equal_tiers(12, 6, 1);
        }
    }
}
