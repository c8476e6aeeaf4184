//! Accesses of a user's own instructions: constants no standard one can add to an address, and addresses that are
//! narrower than registers.

use engine::Program;

use crate::addresses::{access, around_edges};
use crate::guest::{encode, program_of_ones_own};
use crate::layouts::Layout;

/// What is added, around all places where a sum may wrap.
const CONSTANTS: [u64; 6] =
    [8, 0x7fff_fff8, 0xffff_fffc, 0x7fff_ffff_ffff_ffff, 0x7fff_ffff_ffff_fff9, 0xffff_ffff_ffff_fff0];

/// A program with `FARLW rd, rs1` and `FARSB rd, rs1`, whose address is the sum with `constant` cut to `bits`.
fn far(isa: &str, constant: u64, bits: &str) -> Program {
    let text = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XFar extends RISCVBase {{
            instructions {{
                FARLW {{
                    encoding: 12'd0 :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{{name(rd)}}, {{name(rs1)}}\";
                    behavior: {{
                        unsigned<{bits}> from = (unsigned<{bits}>)(X[rs1] + 64'h{constant:x});
                        signed<32> word = (signed<32>)MEM[from + 3 : from];
                        X[rd] = (unsigned<XLEN>)word;
                    }}
                }}
                FARSB {{
                    encoding: 12'd1 :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{{name(rd)}}, {{name(rs1)}}\";
                    behavior: {{
                        MEM[(unsigned<{bits}>)(X[rs1] + 64'h{constant:x})] = X[rd][7:0];
                    }}
                }}
            }}
        }}"
    );
    program_of_ones_own(isa, &text)
}

/// After an access near by through the same register, before one, and through an index that is small.
fn check(isa: &str, bits: &str) {
    for constant in CONSTANTS {
        let program = far(isa, constant, bits);
        let module = program.module();
        let far = |name: &str, base: i64, data: i64| encode(module, name, &[("rd", data), ("rs1", base)]);
        let index = [
            encode(module, "ANDI", &[("rd", 6), ("rs1", 9), ("imm", 15)]),
            encode(module, "ADD", &[("rd", 7), ("rs1", 5), ("rs2", 6)]),
        ];
        let blocks: [&[u32]; 4] = [
            &[access(module, "LW", 5, 8, 0), far("FARLW", 5, 9)],
            &[access(module, "SB", 5, 8, 0), far("FARSB", 5, 9)],
            &[far("FARSB", 5, 9), access(module, "SB", 5, 8, 4)],
            &[index[0], index[1], access(module, "LBU", 7, 8, 0), far("FARLW", 7, 9)],
        ];
        for layout in Layout::all(isa.starts_with("rv32")) {
            for (block, aim) in blocks.iter().flat_map(|block| [0, constant].map(|aim| (block, aim))) {
                around_edges(&program, layout, block, aim as i64);
            }
        }
    }
}

#[test]
fn rv32_own_addresses() {
    check("rv32i_zicsr_xfar", "32");
}

#[test]
fn rv64_own_addresses() {
    check("rv64i_zicsr_xfar", "64");
}

#[test]
fn rv64_own_addresses_of_32_bits() {
    check("rv64i_zicsr_xfar", "32");
}
