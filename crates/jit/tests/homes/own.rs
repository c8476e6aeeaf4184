//! Instructions of a user's own, which read and write several registers or set one on some ways only.

use engine::Program;

use crate::Check;
use crate::guest::{BASE, DATA, program, program_of_own};

/// `NAME rd, rs1, rs2`, and what it does.
pub const OWN: [(&str, &str); 11] = [
    ("TWO", "unsigned<XLEN> v = X[rs1] ^ X[rs2]; X[rd] = v; X[rs1] = (unsigned<XLEN>)(v + 1);"),
    ("SWAP", "unsigned<XLEN> v = X[rs1]; X[rs1] = X[rs2]; X[rs2] = v;"),
    ("MAYBE", "if (X[rs1][0] == 1) X[rd] = X[rs2];"),
    ("EITHER", "if (X[rs1][0] == 1) { X[rd] = X[rs2]; } else { X[rs1] = X[rd]; }"),
    ("EARLY", "X[rd] = 3; if (X[rs1][0] == 1) return; X[rd] = X[rs2];"),
    (
        "AGAIN",
        "for (unsigned<8> i = 0; i < 3; i = (unsigned<8>)(i + 1)) {
             if (X[rs1][1:0] == i) break;
             X[rd] = (unsigned<XLEN>)(X[rd] + X[rs2]);
         }",
    ),
    ("JUMPS", "if (X[rs1][0] == 1) PC = (unsigned<XLEN>)(PC + 8); X[rd] = X[rs2];"),
    ("LOADS", "unsigned<8> v = 3; if (X[rs1][0] == 1) v = MEM[X[rs2]]; X[rd] = v;"),
    ("TAKES", "if (X[rs1][0] == 1) X[rd] = MEM[X[rs2]];"),
    ("GIVES", "if (X[rs1][0] == 1) { MEM[X[rs2]] = X[rd][7:0]; X[rd] = 7; }"),
    ("RAISES", "if (X[rs1][1:0] == 2) raise(0, 24); X[rd] = X[rs2];"),
];

/// A program with these instructions.
pub fn own(isa: &str) -> Program {
    program_of_own(isa, &OWN)
}

/// Each of them between instructions that read and write the same registers, in the first block and in another.
#[test]
fn between_uses_of_the_same_registers() {
    for isa in ["rv64im_zicsr", "rv32im_zicsr"] {
        let program = own(isa);
        for (index, (name, _)) in OWN.into_iter().enumerate() {
            let operands = [[5, 6, 7], [6, 6, 7], [7, 6, 7], [5, 6, 6], [6, 6, 6], [0, 6, 7]];
            for (other, [rd, rs1, rs2]) in operands.into_iter().enumerate() {
                // An address, where one is needed.
                let rs2 = if matches!(name, "LOADS" | "TAKES" | "GIVES") { 29 } else { rs2 };
                let one = format!("{name} rd={rd} rs1={rs1} rs2={rs2}");
                let text = format!(
                    "head:
                    ADDI rd=31 rs1=31 imm=-1
                    BEQ rs1=31 rs2=0 >end
                    ADD rd=8 rs1=5 rs2=6
                    {one}
                    ADDI rd=9 rs1=6 imm=5
                    XOR rd=10 rs1=5 rs2=7
                    BEQ rs1=8 rs2=9 >head
                    ADDI rd=6 rs1=6 imm=3
                    {one}
                    ADD rd=7 rs1=7 rs2=5
                    JALR rd=0 rs1=30 imm=0
                    end:
                    EBREAK"
                );
                let mut check = Check::new(&program, &text, &[(30, BASE), (31, 8), (29, DATA)]);
                check.step = 7;
                // An exception or a jump keeps some from ever coming to another block.
                check.blocks = 1;
                check.some(index + other);
            }
        }
    }
}

/// A register that nothing but such an instruction touches, in a block that others lead to: on the way on which it is not
/// set, it is what it was before the region was entered.
#[test]
fn a_register_that_is_not_set() {
    for isa in ["rv64im_zicsr", "rv32im_zicsr"] {
        let program = own(isa);
        for (name, _) in OWN {
            let rs2 = if matches!(name, "LOADS" | "TAKES" | "GIVES") { 29 } else { 7 };
            let text = format!(
                "head:
                ADDI rd=31 rs1=31 imm=-1
                BEQ rs1=31 rs2=0 >end
                ANDI rd=6 rs1=31 imm=1
                BEQ rs1=0 rs2=0 >next
                next:
                {name} rd=5 rs1=6 rs2={rs2}
                BEQ rs1=0 rs2=0 >last
                last:
                ADD rd=8 rs1=8 rs2=6
                JALR rd=0 rs1=30 imm=0
                end:
                EBREAK"
            );
            let mut check = Check::new(&program, &text, &[(30, BASE), (31, 8), (29, DATA)]);
            check.step = 7;
            check.all();
            // The register is read behind it, too.
            let text = text
                .replace("last:\n", "last:\nADD rd=9 rs1=9 rs2=5\n")
                .replace(&format!("rs2={rs2}\n"), &format!("rs2={rs2}\nXOR rd=10 rs1=10 rs2=5\n"));
            let mut check = Check::new(&program, &text, &[(30, BASE), (31, 8), (29, DATA)]);
            check.step = 7;
            check.all();
        }
    }
}

/// What an instruction finds out of a value on one way only says nothing of it on the other.
#[test]
fn known_on_one_way_only() {
    let cut = ("CUT", "if (X[rs1][0] == 1) X[rd] = X[rs2] & 255;");
    let program = program_of_own("rv64im_zicsr", &[cut]);
    for small in ["AND rd=6 rs1=7 rs2=6", "SLLI rd=6 rs1=6 shamt=0", "ANDI rd=6 rs1=6 imm=31"] {
        for narrow in [
            "SB rs1=29 rs2=6 imm=2",
            "SH rs1=29 rs2=6 imm=2",
            "SW rs1=29 rs2=6 imm=4",
            "ADDW rd=6 rs1=6 rs2=6",
        ] {
            let text = format!(
                "head:
                ADDI rd=31 rs1=31 imm=-1
                BEQ rs1=31 rs2=0 >end
                LBU rd=6 rs1=29 imm=1
                {small}
                CUT rd=5 rs1=31 rs2=6
                {narrow}
                XOR rd=7 rs1=7 rs2=6
                BEQ rs1=7 rs2=0 >head
                ADD rd=8 rs1=8 rs2=5
                JALR rd=0 rs1=30 imm=0
                end:
                EBREAK"
            );
            let mut check = Check::new(&program, &text, &[(30, BASE), (31, 6), (29, DATA)]);
            check.step = 5;
            check.all();
        }
    }
}

/// The same of standard instructions that jump within themselves.
#[test]
fn set_on_one_way_only() {
    for isa in ["rv64im_zbb_zicond_zicsr", "rv32im_zbb_zicond_zicsr"] {
        let program = program(isa);
        for name in ["DIV", "DIVU", "REM", "REMU", "MIN", "MAXU", "CZERO__EQZ", "CZERO__NEZ"] {
            let text = format!(
                "head:
                ADDI rd=31 rs1=31 imm=-1
                BEQ rs1=31 rs2=0 >end
                ANDI rd=6 rs1=31 imm=1
                {name} rd=5 rs1=7 rs2=6
                {name} rd=8 rs1=8 rs2=5
                BNE rs1=8 rs2=5 >next
                ADDI rd=5 rs1=5 imm=1
                next:
                {name} rd=6 rs1=6 rs2=6
                {name} rd=7 rs1=0 rs2=7
                SUB rd=9 rs1=9 rs2=6
                ADD rd=7 rs1=9 rs2=5
                JALR rd=0 rs1=30 imm=0
                end:
                EBREAK"
            );
            let mut check = Check::new(&program, &text, &[(30, BASE), (31, 5), (8, 1 << 31)]);
            check.step = 7;
            check.all();
        }
    }
}
