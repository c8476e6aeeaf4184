//! Loops whose settings are not always what compiled code expects.

use engine::Program;
use hart::AgnosticFill;

use crate::Setup;
use crate::guest::{Code, DATA, program};

const FILLS: [AgnosticFill; 2] = [AgnosticFill::Undisturbed, AgnosticFill::Ones];

fn check(program: &Program, code: Code<'_>, x: &[(usize, u64)]) {
    let words = code.words();
    for vlen in [128, 256, 1024] {
        for fill in FILLS {
            let mut registers = vec![0; 32];
            for &(register, value) in x {
                registers[register] = value;
            }
            let setup = Setup { vlen, fill, x: registers, ..Setup::new(program, words.clone()) };
            for threshold in [0, 1, 3] {
                setup.assert_equal_tiers(17, 40, threshold);
            }
        }
    }
}

/// `x = x ^ k`, ever fewer elements each round, with the setting made in one block and used in the next.
#[test]
fn the_length_changes_from_round_to_round() {
    let program = program("rv64gcv_zvkned");
    let fields = [("vd", 8), ("vs2", 8), ("vs1", 4), ("vm", 1)];
    let code = Code::new(&program)
        .op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", 0xd1)])
        .op("BEQ", &[("rs1", 5), ("rs2", 0), ("imm", 24)])
        .op("VLE32__V", &[("vd", 8), ("rs1", 11), ("vm", 1)])
        .op("VXOR__VV", &fields)
        .op("VSE32__V", &[("vs3", 8), ("rs1", 11), ("vm", 1)])
        .addi(10, 10, -3)
        .op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -24)])
        .op("JAL", &[("imm", 0)]);
    check(&program, code, &[(10, 100), (11, DATA + 4)]);
}

/// A block that is entered with two settings in turn.
#[test]
fn the_type_changes_from_round_to_round() {
    let program = program("rv64gcv_zvkned");
    let code = Code::new(&program)
        .op("VSETVL", &[("rd", 5), ("rs1", 10), ("rs2", 12)])
        .op("BEQ", &[("rs1", 0), ("rs2", 0), ("imm", 4)])
        .op("VADD__VI", &[("vd", 8), ("vs2", 8), ("simm5", 3), ("vm", 1)])
        .op("VSLL__VI", &[("vd", 16), ("vs2", 8), ("uimm5", 5), ("vm", 1)])
        .op("XORI", &[("rd", 12), ("rs1", 12), ("imm", 0x18)])
        .addi(10, 10, -1)
        .op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -24)])
        .op("JAL", &[("imm", 0)]);
    check(&program, code, &[(10, 60), (12, 0xc0)]);
}

/// Rounds of AES at once, where the length is a multiple of a block and where it is not.
#[test]
fn rounds_of_aes_want_whole_blocks() {
    let program = program("rv64gcv_zvkned");
    let mut code = Code::new(&program).op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", 0xd1)]);
    for (name, key) in [
        ("VAESZ__VS", 1),
        ("VAESEM__VS", 2),
        ("VAESEM__VS", 3),
        ("VAESEF__VS", 4),
        ("VAESZ__VS", 4),
        ("VAESDM__VS", 3),
        ("VAESDM__VS", 2),
        ("VAESDF__VS", 1),
    ] {
        code = code.op(name, &[("vd", 8), ("vs2", key)]);
    }
    let code =
        code.addi(10, 10, -4).op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -40)]).op("JAL", &[("imm", 0)]);
    check(&program, code, &[(10, 66)]);
}

/// Element groups under a length of which nothing is known beforehand, which is not always a multiple of theirs: the loop
/// ends with a trap then, in both tiers at the same instruction.
#[test]
fn element_groups_want_whole_groups() {
    let program = program("rv64gcv_zvkng_zvksg");
    let three = [("vd", 8), ("vs2", 16), ("vs1", 24)];
    let immediate = [("vd", 8), ("vs2", 16), ("uimm", 3)];
    for (name, fields, step) in [
        ("VAESEM__VV", &three[..2], 4),
        ("VAESEF__VV", &three[..2], 4),
        ("VAESDM__VV", &three[..2], 4),
        ("VAESDF__VV", &three[..2], 4),
        ("VGHSH__VV", &three, 4),
        ("VGMUL__VV", &three[..2], 4),
        ("VAESKF1__VI", &immediate, 4),
        ("VSHA2CH__VV", &three, 4),
        ("VSM4R__VV", &three[..2], 4),
        ("VSM3C__VI", &immediate, 8),
    ] {
        for first in [32, 38] {
            let code = Code::new(&program)
                .op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", 0xd2)])
                .op(name, fields)
                .op("VXOR__VV", &[("vd", 24), ("vs2", 24), ("vs1", 8), ("vm", 1)])
                .addi(10, 10, -step)
                .op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -16)])
                .op("JAL", &[("imm", 0)]);
            check(&program, code, &[(10, first)]);
        }
    }
}

/// A loop that sets nothing itself, entered with the longest length first, with others later.
#[test]
fn the_length_is_set_outside_the_loop() {
    let program = program("rv64gcv");
    let code = Code::new(&program)
        .op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", 0xd0)])
        .addi(12, 0, 9)
        .op("VADD__VI", &[("vd", 8), ("vs2", 8), ("simm5", 3), ("vm", 1)])
        .op("VXOR__VV", &[("vd", 9), ("vs2", 8), ("vs1", 9), ("vm", 1)])
        .op("VSE32__V", &[("vs3", 9), ("rs1", 11), ("vm", 1)])
        .addi(12, 12, -1)
        .op("BNE", &[("rs1", 12), ("rs2", 0), ("imm", -16)])
        .addi(10, 10, -7)
        .op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -32)])
        .op("JAL", &[("imm", 0)]);
    check(&program, code, &[(10, 40), (11, DATA + 12)]);
}

/// Gathers by indices of which about half are too great, and what gathers, compressions and reductions are when `vl` is
/// the longest and when it is not.
#[test]
fn elements_are_chosen_by_indices() {
    let program = program("rv64gcv");
    for vtype in [0xc0, 0xc1, 0xc3, 0xc8, 0xc9, 0xd0, 0xd1, 0xd8, 0x50, 0x0] {
        for lengths in [[("rs1", 0), ("rd", 5)], [("rs1", 10), ("rd", 5)]] {
            let [avl, rd] = lengths;
            let code = Code::new(&program)
                .op("VSETVLI", &[avl, rd, ("zimm", vtype)])
                .op("VAND__VX", &[("vd", 8), ("vs2", 8), ("rs1", 13), ("vm", 1)])
                .op("VRGATHER__VV", &[("vd", 16), ("vs2", 24), ("vs1", 8), ("vm", 1)])
                .op("VRGATHER__VV", &[("vd", 24), ("vs2", 16), ("vs1", 8), ("vm", 0)])
                .op("VRGATHER__VX", &[("vd", 16), ("vs2", 24), ("rs1", 10), ("vm", 1)])
                .op("VCOMPRESS__VM", &[("vd", 24), ("vs2", 8), ("vs1", 4)])
                .op("VREDSUM__VS", &[("vd", 1), ("vs2", 24), ("vs1", 8), ("vm", 1)])
                .op("VREDMIN__VS", &[("vd", 2), ("vs2", 24), ("vs1", 1), ("vm", 0)])
                .op("VXOR__VV", &[("vd", 8), ("vs2", 8), ("vs1", 24), ("vm", 1)])
                .op("VADD__VI", &[("vd", 0), ("vs2", 0), ("simm5", 3), ("vm", 1)])
                .op("VADD__VI", &[("vd", 4), ("vs2", 4), ("simm5", 5), ("vm", 1)])
                .addi(10, 10, -1)
                .op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", -48)])
                .op("JAL", &[("imm", 0)]);
            // The greatest index that half of them exceed differs; 63 is below some and above others.
            check(&program, code, &[(10, 20), (13, 63)]);
        }
    }
}
