//! A user's own instructions that use reservations in other ways than `lr` and `sc` do.

use engine::Program;

use crate::guest::program_of_ones_own;
use crate::reservations::check;

/// Programs of each behaviour and width.
const CASES: u32 = 8;

/// A program with the user's instruction `OWN rd, rs2, (rs1)`.
fn own(isa: &str, behavior: &str) -> Program {
    let text = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XOwn extends RISCVBase {{
            instructions {{
                OWN {{
                    encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{{name(rd)}}, {{name(rs2)}}, {{name(rs1)}}\";
                    behavior: {{ unsigned<XLEN> a = X[rs1]; unsigned<XLEN> b = X[rs2]; {behavior} }}
                }}
            }}
        }}"
    );
    program_of_ones_own(isa, &text)
}

fn both_widths(behavior: &str) {
    check(&own("rv32ima_zicsr_xown", behavior), true, "OWN", CASES, 3);
    check(&own("rv64ima_zicsr_xown", behavior), false, "OWN", CASES, 4);
}

macro_rules! behaviours {
    ($($name:ident $behavior:literal;)*) => {
        $(#[test] fn $name() { both_widths($behavior); })*
    };
}

behaviours! {
    taken_whatever_it_is "X[rd] = RES[a];";
    taken_at_a_sum "X[rd] = RES[(unsigned<XLEN>)(a + 4)];";
    taken_at_a_difference "X[rd] = RES[(unsigned<XLEN>)(a - 4)] + 2;";
    taken_on_one_way "if (b[0] == 1) { X[rd] = RES[a]; } else { X[rd] = 2; }";
    taken_on_either_way
        "if (b[0] == 1) { X[rd] = RES[a]; } else { X[rd] = (unsigned<XLEN>)(RES[(unsigned<XLEN>)(a + 4)] + 2); }";
    taken_unless_it_returns "if (b[0] == 1) return; X[rd] = RES[a];";
    taken_and_then_it_returns
        "unsigned<8> r = RES[a]; if (b[0] == 1) return; MEM[a] = (unsigned<8>)(r + 3); X[rd] = r;";
    taken_before_a_jump "if (RES[a] == 1) PC = (unsigned<XLEN>)(PC + 8);";
    taken_before_either_jump
        "if (RES[a] == 1) { PC = (unsigned<XLEN>)(PC + 8); } else { PC = (unsigned<XLEN>)(PC + 4); }";
    taken_in_a_jump "X[rd] = (unsigned<XLEN>)(PC + 4); PC = (unsigned<XLEN>)(PC + 4 + 4 * RES[a]);";
    taken_before_a_load "unsigned<8> r = RES[a]; X[rd] = (unsigned<XLEN>)(MEM[a] + r);";
    taken_before_a_load_on_one_way "if (RES[a] == 1) { X[rd] = MEM[a]; } else { X[rd] = 3; }";
    taken_after_a_load "unsigned<8> m = MEM[a]; X[rd] = (unsigned<XLEN>)(m + RES[a]);";
    taken_before_a_store_on_one_way
        "unsigned<8> r = RES[a]; if (b[0] == 1) MEM[(unsigned<XLEN>)(a + 4)] = r; X[rd] = r;";
    taken_after_a_store "MEM[a] = b[7:0]; X[rd] = RES[a];";
    taken_before_a_store "unsigned<8> r = RES[a]; MEM[(unsigned<XLEN>)(a + 3)] = r; X[rd] = r;";
    taken_before_a_store_to_one_of_two
        "if (RES[a] == 1) { MEM[a] = b[7:0]; } else { MEM[(unsigned<XLEN>)(a + 4)] = b[7:0]; }";
    taken_before_an_exception "unsigned<8> r = RES[a]; if (b[0] == 1) raise(0, 24); X[rd] = r;";
    taken_after_an_exception "if (b[0] == 1) raise(0, 24); X[rd] = RES[a];";
    taken_after_a_register_is_written "X[rd] = 5; if (RES[a] == 1) X[rd] = 6;";
    taken_twice "unsigned<8> r = RES[a]; X[rd] = (unsigned<XLEN>)(2 * r + RES[(unsigned<XLEN>)(a + 4)]);";
    taken_twice_at_once "unsigned<8> r = RES[a]; X[rd] = (unsigned<XLEN>)(2 * r + RES[a]);";
    taken_again_and_again
        "unsigned<XLEN> sum = 0;
         for (unsigned<8> i = 0; i < 3; i = (unsigned<8>)(i + 1)) {
             if (b[3:0] == i) break;
             sum = (unsigned<XLEN>)(2 * sum + RES[(unsigned<XLEN>)(a + i)]);
         }
         X[rd] = sum;";
    taken_before_a_loop_of_loads
        "unsigned<8> r = RES[a];
         for (unsigned<8> i = 0; i < 3; i = (unsigned<8>)(i + 1)) {
             if (b[3:0] == i) break;
             r = (unsigned<8>)(2 * r + MEM[(unsigned<XLEN>)(a + i)]);
         }
         X[rd] = r;";
    made_and_taken "RES[a] = 4; X[rd] = RES[b];";
    made_and_taken_at_once "RES[a] = 4; X[rd] = RES[a];";
    taken_and_made "X[rd] = RES[a]; RES[(unsigned<XLEN>)(a + 4)] = 8;";
    taken_and_made_on_one_way "if (RES[a] == 1) RES[a] = 4; X[rd] = b;";
    made_of_any_size "RES[a] = b[7:0]; X[rd] = b;";
    made_at_a_sum "RES[(unsigned<XLEN>)(a + b)] = 4; X[rd] = (unsigned<XLEN>)(a + b);";
    made_before_a_load "RES[a] = 4; X[rd] = MEM[a];";
    made_before_a_store "RES[a] = 4; MEM[a] = b[7:0];";
    made_after_a_store "MEM[a] = b[7:0]; RES[a] = 4;";
    made_on_one_way "if (b[0] == 1) RES[a] = 4; X[rd] = (unsigned<XLEN>)(b + 1);";
    made_before_an_exception "RES[a] = 4; if (b[0] == 1) raise(0, 24);";
    made_before_a_jump "RES[a] = 4; if (b[0] == 1) PC = (unsigned<XLEN>)(PC + 8);";
}
