//! What is reserved, and the words in which a user learns of it.

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::run;

const ALIGNED: &str = "a register group must begin at a register number that is a multiple of its EMUL";
const MASK: &str = "the destination of a masked instruction must not overlap the mask register v0";
const READ_ALIKE: &str =
    "a register must not be read with two different element widths (that of a mask is 1 bit)";
const OVERLAP: &str = "a destination may overlap a source of another element width only in the lowest-numbered \
                       register (if the destination is narrower) or the highest-numbered (if it is wider and \
                       the source's EMUL is at least 1)";
const APART: &str = "the destination register group of this instruction must not overlap a source";
const TOO_LARGE: &str = "a register group must not be larger than 8 registers: EMUL would be 16 or more";
const WIDTH: &str = "every operand's element width must be supported: from 8 bits to ELEN";
const VSTART: &str = "this instruction can only begin with element 0: vstart must be 0";

/// Operand fields `vd`, `vs2`, `vs1`.
type Operands = (u32, u32, u32);

/// A legal setting of 32-bit elements; tests change what they are about.
pub fn case(name: &str, lmul: i32, (vd, vs2, rs1): Operands, masked: bool) -> Case {
    Case {
        name: name.to_owned(),
        vd,
        vs2,
        rs1,
        masked,
        x: 0,
        xlen: 64,
        elen: 64,
        wide_products: true,
        sew: 32,
        lmul,
        tail_agnostic: false,
        mask_agnostic: false,
        ones: false,
        vl: 2,
        vstart: 0,
        vxrm: 0,
        registers: Registers { bytes: vec![0; 32 * 32], vlenb: 32 },
    }
}

/// Asserts that engine and model refuse the case, the engine with these words.
#[track_caller]
fn refused_on(isa: &str, case: &Case, rule: &str) {
    assert_eq!(run::run(&guest::program(isa), case).err().as_deref(), Some(rule), "{case:?}");
    assert!(model::execute(case).is_none(), "{case:?}");
}

#[track_caller]
fn refused(case: &Case, rule: &str) {
    refused_on("rv64gcv", case, rule);
}

#[track_caller]
fn legal(case: &Case) {
    assert!(run::run(&guest::program("rv64gcv"), case).is_ok(), "{case:?}");
    assert!(model::execute(case).is_some(), "{case:?}");
}

#[test]
fn groups_begin_at_multiples_of_their_size() {
    for operands in [(1, 2, 4), (2, 3, 4), (2, 4, 5)] {
        refused(&case("VADD__VV", 1, operands, false), ALIGNED);
    }
    legal(&case("VADD__VV", 1, (2, 4, 6), false));
    legal(&case("VADD__VV", -1, (1, 3, 5), false));
    refused(&case("VWADD__VV", 0, (1, 4, 5), false), ALIGNED);
    refused(&case("VNSRL__WV", 0, (1, 3, 5), false), ALIGNED);
    refused(&case("VMSEQ__VV", 2, (1, 4, 6), false), ALIGNED);
    refused(&case("VREDSUM__VS", 2, (1, 6, 3), false), ALIGNED);
    legal(&case("VREDSUM__VS", 2, (1, 4, 3), false));
    refused(&case("VMV4R__V", 0, (4, 6, 0), false), ALIGNED);
    legal(&case("VMV__S__X", 3, (5, 0, 0), false));
}

#[test]
fn masked_instructions_spare_their_mask() {
    for name in ["VADD__VV", "VSLIDEDOWN__VI", "VRGATHER__VV", "VID__V", "VIOTA__M", "VMSBF__M", "VADC__VVM"]
    {
        let vs2 = if name == "VID__V" { 0 } else { 8 };
        let rs1 = if name == "VMSBF__M" { 1 } else { 4 };
        refused(&case(name, 0, (0, vs2, rs1), true), MASK);
    }
    legal(&case("VMSEQ__VV", 0, (0, 8, 4), true));
    legal(&case("VREDSUM__VS", 0, (0, 8, 4), true));
    legal(&case("VMADC__VVM", 0, (0, 8, 4), true));
}

#[test]
fn a_register_is_read_with_one_element_width() {
    refused(&case("VADD__VV", 0, (4, 0, 8), true), READ_ALIKE);
    refused(&case("VADD__VV", 0, (4, 8, 0), true), READ_ALIKE);
    legal(&case("VADD__VV", 0, (4, 0, 0), false));
    refused(&case("VMERGE__VVM", 0, (4, 8, 0), true), READ_ALIKE);
    refused(&case("VWADD__WV", 0, (8, 4, 5), false), READ_ALIKE);
    refused(&case("VNSRL__WV", 0, (8, 4, 5), false), READ_ALIKE);
    refused(&case("VWMACC__VV", 0, (4, 5, 8), false), READ_ALIKE);
    refused(&case("VWREDSUM__VS", 0, (8, 4, 4), false), READ_ALIKE);
    refused(&case("VRGATHEREI16__VV", 0, (8, 4, 4), false), READ_ALIKE);
    refused(&case("VCOMPRESS__VM", 1, (8, 4, 5), false), READ_ALIKE);
    legal(&case("VCPOP__M", 0, (1, 0, 0), true));
}

#[test]
fn overlaps_of_other_widths_are_at_one_end() {
    legal(&case("VWADD__VV", 0, (4, 5, 5), false));
    refused(&case("VWADD__VV", 0, (4, 4, 8), false), OVERLAP);
    refused(&case("VWADD__VX", -1, (4, 4, 8), false), OVERLAP);
    legal(&case("VNSRL__WI", 0, (4, 4, 1), false));
    refused(&case("VNSRL__WI", 0, (5, 4, 1), false), OVERLAP);
    legal(&case("VZEXT__VF4", 3, (0, 6, 0), false));
    refused(&case("VZEXT__VF4", 3, (0, 4, 0), false), OVERLAP);
    legal(&case("VMSEQ__VI", 1, (4, 4, 1), false));
    refused(&case("VMSEQ__VI", 1, (5, 4, 1), false), OVERLAP);
}

#[test]
fn permutations_write_no_source() {
    refused(&case("VSLIDEUP__VI", 0, (4, 4, 1), false), APART);
    refused(&case("VSLIDE1UP__VX", 1, (4, 4, 1), false), APART);
    legal(&case("VSLIDEDOWN__VI", 0, (4, 4, 1), false));
    legal(&case("VSLIDE1DOWN__VX", 0, (4, 4, 1), false));
    for operands in [(4, 4, 8), (4, 8, 4)] {
        refused(&case("VRGATHER__VV", 0, operands, false), APART);
        refused(&case("VRGATHEREI16__VV", 0, operands, false), APART);
        refused(&case("VCOMPRESS__VM", 0, operands, false), APART);
    }
    refused(&case("VRGATHER__VI", 0, (4, 4, 8), false), APART);
    refused(&case("VIOTA__M", 1, (4, 5, 0), false), APART);
    for name in ["VMSBF__M", "VMSIF__M", "VMSOF__M"] {
        let rule = "the destination of vmsbf, vmsif and vmsof must not be the source";
        refused(&case(name, 0, (4, 4, 0), false), rule);
    }
}

#[test]
fn operands_have_a_supported_size() {
    refused(&case("VWADD__VV", 3, (0, 8, 16), false), TOO_LARGE);
    refused(&case("VNSRL__WI", 3, (0, 8, 1), false), TOO_LARGE);
    refused(&Case { sew: 8, ..case("VRGATHEREI16__VV", 3, (0, 8, 16), false) }, TOO_LARGE);
    refused(&Case { sew: 64, ..case("VWMUL__VV", 0, (4, 8, 16), false) }, WIDTH);
    refused(&Case { sew: 64, ..case("VNCLIP__WI", 0, (4, 8, 1), false) }, WIDTH);
    let rule = "the source of an extension must have elements of at least 8 bits";
    refused(&case("VZEXT__VF8", 0, (4, 8, 0), false), rule);
    // An eighth of a register.
    legal(&Case { sew: 64, ..case("VSEXT__VF8", 0, (4, 8, 0), false) });
}

#[test]
fn some_instructions_begin_with_element_0() {
    let names = [
        "VREDSUM__VS",
        "VWREDSUMU__VS",
        "VCPOP__M",
        "VFIRST__M",
        "VMSBF__M",
        "VMSIF__M",
        "VMSOF__M",
        "VIOTA__M",
        "VCOMPRESS__VM",
    ];
    for name in names {
        refused(&Case { vstart: 1, ..case(name, 0, (4, 8, 12), false) }, VSTART);
        refused(&Case { vstart: 1, vl: 0, ..case(name, 0, (4, 8, 12), false) }, VSTART);
    }
}

#[test]
fn embedded_harts_lack_high_halves_of_64_bit_products() {
    let rule = "the high half of a product of 64-bit elements needs V: Zve64x has none";
    for name in ["VMULH__VV", "VMULHU__VX", "VMULHSU__VV", "VSMUL__VX"] {
        let case = Case { sew: 64, wide_products: false, ..case(name, 0, (4, 8, 12), false) };
        refused_on("rv64imac_zve64x", &case, rule);
        legal(&Case { wide_products: true, ..case });
    }
}
