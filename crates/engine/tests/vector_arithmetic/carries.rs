//! Carries, borrows and merges at every length around bytes of masks: elements are zeros and ones, so that each bit of v0
//! counts.

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::run;

const VLENB: usize = 32;
const NAMES: [&str; 13] = [
    "VADC__VVM",
    "VADC__VXM",
    "VADC__VIM",
    "VSBC__VVM",
    "VSBC__VXM",
    "VMERGE__VVM",
    "VMERGE__VXM",
    "VMERGE__VIM",
    "VMADC__VVM",
    "VMADC__VXM",
    "VMADC__VIM",
    "VMSBC__VVM",
    "VMSBC__VXM",
];

/// v0 is random, whole elements of the others are zero or ones.
fn registers(sew: u32, seed: u32) -> Registers {
    let random = |at: usize| (at as u32 ^ seed).wrapping_mul(0x9e37_79b9).wrapping_mul(0x85eb_ca6b) >> 23;
    let byte = |at: usize| match at {
        0..VLENB => random(at) as u8,
        _ => 0xff * (random(at / (sew as usize / 8)) & 1) as u8,
    };
    Registers { bytes: (0..32 * VLENB).map(byte).collect(), vlenb: VLENB }
}

#[test]
fn each_bit_of_v0_counts() {
    let program = guest::program("rv64gcv");
    for name in NAMES {
        for (vl, sew) in
            (0..=33usize).map(|vl| (vl, 8)).chain([(1, 16), (9, 16), (15, 16), (7, 32), (12, 32), (3, 64)])
        {
            let is_mask = name.starts_with("VM") && !name.starts_with("VMERGE");
            let case = Case {
                name: name.to_owned(),
                vd: if is_mask && vl.is_multiple_of(3) { 0 } else { 8 },
                vs2: 16,
                rs1: if name.ends_with("VIM") { 31 } else { 24 },
                masked: true,
                x: u64::MAX,
                xlen: 64,
                elen: 64,
                wide_products: true,
                sew,
                lmul: 1,
                tail_agnostic: vl.is_multiple_of(2),
                mask_agnostic: false,
                ones: vl % 4 < 2,
                vl,
                vstart: 0,
                vxrm: 0,
                registers: registers(sew, vl as u32),
            };
            let wanted = model::execute(&case).expect("legal");
            let got = run::run(&program, &case).expect("legal");
            assert_eq!(wanted.registers, got.registers, "{name}, SEW {sew}, vl {vl}");
        }
    }
}
