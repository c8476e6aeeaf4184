//! The longest registers: 65 536 bits, so that there are more elements than 8 or 16 bits can count.

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::run;

const VLENB: usize = 8192;

fn agrees(name: &str, sew: u32, operands: (u32, u32, u32)) {
    let bytes = (0..32 * VLENB).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    let mut case = Case {
        name: name.to_owned(),
        vd: operands.0,
        vs2: operands.1,
        rs1: operands.2,
        masked: false,
        x: 0,
        xlen: 64,
        elen: 64,
        wide_products: true,
        sew,
        lmul: 3,
        tail_agnostic: true,
        mask_agnostic: true,
        ones: true,
        vl: 0,
        vstart: 0,
        vxrm: 0,
        registers: Registers { bytes, vlenb: VLENB },
    };
    for below in [0, 1, 9] {
        case.vl = case.vlmax() - below;
        let wanted = model::execute(&case).expect("legal");
        let got = run::run(&guest::program("rv64gcv"), &case).expect("legal");
        assert!(wanted.registers == got.registers && wanted.x == got.x, "{name}, vl = {}", case.vl);
    }
}

#[test]
fn indices_and_counts_exceed_the_element() {
    agrees("VID__V", 8, (8, 0, 0));
    agrees("VIOTA__M", 8, (8, 1, 0));
    agrees("VIOTA__M", 16, (8, 1, 0));
    agrees("VCPOP__M", 8, (8, 1, 0));
    agrees("VFIRST__M", 8, (8, 1, 0));
}

#[test]
fn groups_and_masks_reach_their_ends() {
    agrees("VADD__VV", 8, (8, 16, 24));
    agrees("VMSEQ__VV", 8, (1, 16, 24));
    agrees("VMNAND__MM", 8, (1, 2, 3));
    agrees("VSLIDEDOWN__VI", 8, (8, 16, 31));
    agrees("VRGATHEREI16__VV", 16, (8, 16, 24));
    agrees("VCOMPRESS__VM", 8, (8, 16, 1));
}
