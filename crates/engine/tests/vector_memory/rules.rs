//! Each rule of the specification that an instruction may break, by the words of its fault.

use crate::guest::program;
use crate::hart::{DATA, Hart, MSTATUS, UNDISTURBED};
use crate::{LENGTHS, WIDTHS};

type Operands<'a> = &'a [(&'a str, i64)];

/// What a fault of this instruction says, `vtype` being as given; the registers stay as they are.
fn broken(isa: &str, vlen: u32, sew: u32, lmul: i64, name: &str, operands: Operands<'_>) -> &'static str {
    let program = program(isa);
    let mut hart = Hart::with_ones(&program, vlen);
    hart.configure(sew, lmul, 0xc0, 1);
    hart.machine.hart.set_x(5, DATA);
    let fault = hart.op(name, operands).expect_err(name);
    assert_eq!(fault.exception.cause, 2, "{name} is an illegal instruction");
    assert!((0..32).all(|register| hart.v(register, vlen as usize / 8).iter().all(|byte| *byte == 0)));
    fault.rule.unwrap_or_else(|| panic!("no rule for {name}"))
}

fn assert_rule(isa: &str, sew: u32, lmul: i64, name: &str, operands: Operands<'_>, words: &str) {
    for vlen in LENGTHS {
        let rule = broken(isa, vlen, sew, lmul, name, operands);
        assert!(rule.contains(words), "{name} {operands:?}: {rule}");
    }
}

#[test]
fn groups_begin_at_a_multiple_of_their_size() {
    let words = "a register group must begin at a register number that is a multiple of its EMUL";
    for (sew, lmul, name, operands) in [
        (8, 1, "VLE8__V", &[("vd", 3), ("rs1", 5), ("vm", 1)][..]),
        (8, 3, "VSE8__V", &[("vs3", 4), ("rs1", 5), ("vm", 1)]),
        // EMUL is 4.
        (8, 0, "VLE32__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]),
        (8, 0, "VLUXEI32__V", &[("vd", 8), ("vs2", 2), ("rs1", 5), ("vm", 1)]),
        (8, 2, "VSOXEI8__V", &[("vs3", 2), ("vs2", 4), ("rs1", 5), ("vm", 1)]),
        (16, 1, "VLSEGE16__V", &[("vd", 5), ("rs1", 5), ("vm", 1), ("nf", 1)]),
    ] {
        assert_rule(WIDTHS[1], sew, lmul, name, operands, words);
    }
    let whole = "whole registers must begin at a register number that is a multiple of how many they are";
    assert_rule(WIDTHS[1], 8, 0, "VL4RE8__V", &[("vd", 2), ("rs1", 5)], whole);
    assert_rule(WIDTHS[1], 8, 0, "VS8R__V", &[("vs3", 28), ("rs1", 5)], whole);
}

#[test]
fn emul_lies_between_an_eighth_and_eight() {
    for (sew, lmul, name) in [(8, 1, "VLE64__V"), (8, 3, "VLE16FF__V"), (16, 2, "VLSE64__V")] {
        assert_rule(
            WIDTHS[1],
            sew,
            lmul,
            name,
            &[("vd", 8), ("rs1", 5), ("vm", 1)],
            "EMUL would be 16 or more",
        );
    }
    // No supported type leads below an eighth, which is allowed still.
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(64, 0, UNDISTURBED, 1);
    hart.machine.hart.set_x(5, DATA);
    hart.op("VLSE8__V", &[("vd", 3), ("rs1", 5), ("vm", 1)]).expect("an eighth");
}

#[test]
fn segments_fit_in_eight_registers_below_v32() {
    let eight = "EMUL * NFIELDS <= 8";
    assert_rule(WIDTHS[1], 8, 1, "VLSEGE8__V", &[("vd", 8), ("rs1", 5), ("vm", 1), ("nf", 4)], eight);
    assert_rule(WIDTHS[1], 8, 2, "VSSEGE8__V", &[("vs3", 8), ("rs1", 5), ("vm", 1), ("nf", 2)], eight);
    assert_rule(
        WIDTHS[1],
        16,
        3,
        "VLUXSEGEI8__V",
        &[("vd", 8), ("vs2", 4), ("rs1", 5), ("vm", 1), ("nf", 1)],
        eight,
    );
    let past = "must not go past v31";
    assert_rule(WIDTHS[1], 8, 0, "VLSEGE8__V", &[("vd", 30), ("rs1", 5), ("vm", 1), ("nf", 2)], past);
    assert_rule(WIDTHS[1], 8, 1, "VSSSEGE8__V", &[("vs3", 30), ("rs1", 5), ("vm", 1), ("nf", 1)], past);
}

#[test]
fn loads_keep_their_mask() {
    let words = "must not overlap the mask register v0";
    for name in ["VLE8__V", "VLSE8__V", "VLE8FF__V"] {
        assert_rule(WIDTHS[1], 8, 0, name, &[("vd", 0), ("rs1", 5)], words);
    }
    assert_rule(WIDTHS[1], 8, 0, "VLOXEI8__V", &[("vd", 0), ("vs2", 4), ("rs1", 5)], words);
    assert_rule(WIDTHS[1], 8, 0, "VLSEGE8__V", &[("vd", 0), ("rs1", 5), ("nf", 3)], words);
}

#[test]
fn a_register_is_read_with_one_width() {
    let words = "must not be read with two different element widths";
    assert_rule(WIDTHS[1], 8, 0, "VSE8__V", &[("vs3", 0), ("rs1", 5)], words);
    assert_rule(WIDTHS[1], 8, 0, "VSSE8__V", &[("vs3", 0), ("rs1", 5)], words);
    assert_rule(WIDTHS[1], 8, 0, "VSUXEI16__V", &[("vs3", 5), ("vs2", 4), ("rs1", 5), ("vm", 1)], words);
    assert_rule(
        WIDTHS[1],
        8,
        0,
        "VSUXSEGEI16__V",
        &[("vs3", 3), ("vs2", 4), ("rs1", 5), ("vm", 1), ("nf", 1)],
        words,
    );
    assert_rule(WIDTHS[1], 8, 0, "VLUXEI8__V", &[("vd", 4), ("vs2", 0), ("rs1", 5)], words);
}

#[test]
fn data_overlap_their_indices_at_one_end_only() {
    let words = "a destination may overlap a source of another element width only in";
    // Narrower data in the higher half of the indices; wider data whose lower half holds the indices.
    assert_rule(WIDTHS[1], 8, 0, "VLUXEI16__V", &[("vd", 5), ("vs2", 4), ("rs1", 5), ("vm", 1)], words);
    assert_rule(WIDTHS[1], 16, 1, "VLOXEI8__V", &[("vd", 4), ("vs2", 4), ("rs1", 5), ("vm", 1)], words);
    // Indices of a fraction of a register.
    assert_rule(WIDTHS[1], 16, 0, "VLOXEI8__V", &[("vd", 4), ("vs2", 4), ("rs1", 5), ("vm", 1)], words);
    let segment = "the destination of an indexed segment load must not overlap its index registers";
    let operands = [("vd", 3), ("vs2", 4), ("rs1", 5), ("vm", 1), ("nf", 1)];
    assert_rule(WIDTHS[1], 8, 0, "VLUXSEGEI8__V", &operands, segment);
}

#[test]
fn elements_are_no_wider_than_elen_and_indices_than_xlen() {
    let supported = "every operand's element width must be supported: from 8 bits to ELEN";
    for isa in ["rv32imac_zve32x", "rv64imac_zve32x"] {
        for (name, register) in [("VLE64__V", "vd"), ("VSE64__V", "vs3"), ("VLSE64__V", "vd")] {
            assert_rule(isa, 32, 0, name, &[(register, 8), ("rs1", 5), ("vm", 1)], supported);
        }
        assert_rule(isa, 32, 0, "VL1RE64__V", &[("vd", 8), ("rs1", 5)], supported);
    }
    let operands = [("vd", 8), ("vs2", 4), ("rs1", 5), ("vm", 1)];
    assert_rule("rv64imac_zve32x", 32, 0, "VLUXEI64__V", &operands, supported);
    assert_rule(WIDTHS[0], 32, 0, "VLUXEI64__V", &operands, "must not be wider than XLEN");
}

#[test]
fn without_a_type_nothing_that_needs_one_executes() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut hart = Hart::new(&program, 128);
        hart.machine.hart.set_x(5, DATA);
        for (name, register) in
            [("VLE8__V", "vd"), ("VSE8__V", "vs3"), ("VLM__V", "vd"), ("VSM__V", "vs3"), ("VLE8FF__V", "vd")]
        {
            let mut operands = vec![(register, 8), ("rs1", 5)];
            operands.extend((!name.ends_with("M__V")).then_some(("vm", 1)));
            let fault = hart.op(name, &operands).expect_err(name);
            assert!(fault.rule.is_some_and(|rule| rule.contains("vtype.vill is set")), "{name}");
        }
    }
}

#[test]
fn with_the_unit_off_nothing_executes() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(8, 0, UNDISTURBED, 4);
    hart.set_csr(MSTATUS, 0);
    hart.machine.hart.set_x(5, DATA);
    for (name, operands) in [
        ("VLE8__V", &[("vd", 8), ("rs1", 5), ("vm", 1)][..]),
        ("VL1RE8__V", &[("vd", 8), ("rs1", 5)]),
        ("VS1R__V", &[("vs3", 8), ("rs1", 5)]),
        ("VSM__V", &[("vs3", 8), ("rs1", 5)]),
        ("VSETVLI", &[("rd", 1), ("rs1", 5)]),
        ("CSRRS", &[("rd", 1), ("csr", 0xc20)]),
        ("CSRRW", &[("rs1", 1), ("csr", 0x008)]),
    ] {
        let fault = hart.op(name, operands).expect_err(name);
        assert_eq!(fault.rule, Some("the vector unit is off: mstatus.VS is 0"), "{name}");
    }
}

#[test]
fn reserved_encodings_are_no_instructions() {
    let program = program(WIDTHS[1]);
    let vle8 = crate::guest::encode(program.module(), "VLE8__V", &[("vd", 8), ("rs1", 5), ("vm", 1)]);
    let vse8 = crate::guest::encode(program.module(), "VSE8__V", &[("vs3", 8), ("rs1", 5), ("vm", 1)]);
    let reserved = |word: u32| assert_eq!(program.instructions().disassemble(word, 0), None, "{word:#x}");
    for word in [vle8, vse8] {
        for lumop in (0..32).filter(|lumop| ![0, 8, 11].contains(lumop) && (word != vle8 || *lumop != 16)) {
            reserved(word | lumop << 20);
        }
        // mew, and other numbers of whole registers than 1, 2, 4 and 8; masked; masks of another width.
        reserved(word | 1 << 28);
        for nf in [2, 4, 5, 6] {
            reserved(word | 8 << 20 | nf << 29);
        }
        reserved(word & !(1 << 25) | 8 << 20);
        reserved(word & !(1 << 25) | 11 << 20);
        reserved(word | 11 << 20 | 5 << 12);
        reserved(word | 11 << 20 | 1 << 29);
    }
    reserved(vse8 | 8 << 20 | 5 << 12);
}
