//! Instructions of a user's own, in shapes that no standard instruction has.

use engine::{Blind, Limits, Machine, Program};
use isa::Xlen;
use proptest::prelude::*;

use crate::WIDTHS;
use crate::guest::{BASE, DATA, Screen, encode, program_of_ones_own};
use crate::operands::{address, memory, registers, runner};
use crate::reference::{MEMORY, Reference};

const CASES: u32 = 60;

/// A program with the user's instruction `OP rd, rs1, rs2`.
pub fn user_program(xlen: Xlen, declarations: &str, behavior: &str) -> Program {
    let text = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XTest extends RISCVBase {{
            {declarations}
            instructions {{
                OP {{
                    encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{{name(rd)}}, {{name(rs1)}}, {{name(rs2)}}\";
                    behavior: {{ {behavior} }}
                }}
            }}
        }}"
    );
    let base = format!("rv{}imac_zicsr_xtest", xlen.bits());
    program_of_ones_own(&base, &text)
}

/// A machine after `OP a2, a0, a1` with the given registers.
pub fn machine_of<'p>(program: &'p Program, x: &[(u16, u64)]) -> Machine<'p> {
    let word = encode(program.module(), "OP", &[("rd", 12), ("rs1", 10), ("rs2", 11)]);
    let mut machine = crate::guest::Code::new(program).word(word).machine();
    for (register, value) in x {
        machine.hart.set_x(*register, *value);
    }
    crate::guest::run(&mut machine, 1);
    machine
}

/// The instruction with this behaviour, executed by the machine as by the evaluator.
fn check(xlens: &[Xlen], declarations: &str, behavior: &str) {
    for &xlen in xlens {
        let program = user_program(xlen, declarations, behavior);
        let case = (registers(), proptest::array::uniform3(0..6u8), any::<u64>(), any::<bool>(), address());
        let outcome = runner(CASES).run(&case, |(mut x, [rd, rs1, rs2], seed, aims, aim)| {
            if aims {
                x[10 + usize::from(rs1)] = aim;
            }
            let fields = [("rd", 10 + rd), ("rs1", 10 + rs1), ("rs2", 10 + rs2)];
            let word = encode(program.module(), "OP", &fields.map(|(name, value)| (name, value.into())));
            let mut reference = Reference::new(&program, x, memory(seed));
            reference.place(BASE, word);
            reference.place(BASE + 4, word);
            let mut machine = reference.machine();
            machine.run(Limits { instructions: Some(2) }, &mut Blind, &mut Screen::default());
            let _ = reference.step().and_then(|()| reference.step());
            let difference = reference.difference(&machine);
            prop_assert_eq!(difference, None, "{:?}: OP x{}, x{}, x{}", xlen, 10 + rd, 10 + rs1, 10 + rs2);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{behavior}\n{error}"));
    }
}

const _: () = assert!(DATA - BASE <= MEMORY as u64);

macro_rules! behaviours {
    ($($name:ident $xlens:expr, $declarations:literal, $behavior:literal;)*) => {
        $(#[test] fn $name() { check(&$xlens, $declarations, $behavior); })*
    };
}

behaviours! {
    a_local_assigned_on_one_path WIDTHS, "",
        "unsigned<XLEN> v = 5; if (X[rs1] == 0) v = 9; X[rd] = v;";
    a_local_assigned_on_both_paths WIDTHS, "",
        "unsigned<XLEN> v = 0;
         if (X[rs1] < X[rs2]) { v = (unsigned<XLEN>)(X[rs1] + 1); } else { v = (unsigned<XLEN>)(X[rs2] + 2); }
         X[rd] = v;";
    a_register_written_from_a_local_that_changes_later WIDTHS, "",
        "unsigned<XLEN> v = 7; if (X[rs1][0] == 1) v = 1; X[rd] = v; if (X[rs2][0] == 1) v = 2;";
    a_register_read_back_into_another WIDTHS, "",
        "if (rd != rs2) { X[rd] = (unsigned<XLEN>)(X[rs1] + 1); X[rs2] = X[rd]; }";
    registers_exchanged WIDTHS, "",
        "unsigned<XLEN> v = X[rs1]; X[rs1] = X[rs2]; X[rs2] = v;";
    two_registers_from_one_value WIDTHS, "",
        "unsigned<XLEN> v = X[rs1] ^ X[rs2]; X[rd] = v; X[rs1] = v;";
    an_early_return_before_a_plain_write WIDTHS, "",
        "if (X[rs1][0] == 1) return; X[rd] = 1; if (X[rs2][0] == 1) X[rd] = 2;";
    an_early_return_between_writes WIDTHS, "",
        "X[rd] = 3; if (X[rs1][0] == 1) return; X[rd] = X[rs2];";
    a_loaded_value_extended_both_ways WIDTHS, "",
        "unsigned<16> raw = MEM[X[rs1]+1:X[rs1]];
         X[rd] = (unsigned<XLEN>)(signed)raw; if (rd != rs2) X[rs2] = raw;";
    an_address_narrower_than_registers [Xlen::Rv64], "",
        "X[rd] = MEM[(unsigned<32>)(X[rs1] + 64'h1_0000_0000)];";
    a_loaded_word_extended_both_ways [Xlen::Rv64], "",
        "unsigned<32> raw = MEM[X[rs1]+3:X[rs1]];
         X[rd] = (unsigned<XLEN>)(signed)raw; if (rd != rs2) X[rs2] = raw;";
    a_loaded_word_extended_in_one_sum [Xlen::Rv64], "",
        "unsigned<32> raw = MEM[X[rs1]+3:X[rs1]];
         X[rd] = (unsigned<XLEN>)((unsigned<XLEN>)(signed)raw + raw);";
    a_product_kept_over_a_register_write WIDTHS, "",
        "unsigned<(2*XLEN)> p = X[rs1] * X[rs2]; X[rs1] = 1; X[rd] = p[2*XLEN-1:XLEN];";
    a_product_kept_over_a_local_change WIDTHS, "",
        "unsigned<XLEN> a = X[rs1]; if (X[rs2][0] == 1) a = 3;
         unsigned<(2*XLEN)> p = a * X[rs2]; if (X[rs2][1] == 1) a = 5;
         X[rd] = (unsigned<XLEN>)(p[2*XLEN-1:XLEN] + a);";
    a_product_s_low_half_after_a_local_change WIDTHS, "",
        "unsigned<XLEN> a = X[rs1]; if (X[rs2][0] == 1) a = 3;
         unsigned<(2*XLEN)> p = a * X[rs2]; if (X[rs2][1] == 1) a = 5;
         X[rd] = p[XLEN-1:0];";
    a_target_from_a_local_that_changes_later WIDTHS, "",
        "unsigned<XLEN> t = (unsigned<XLEN>)(PC + 4); if (X[rs1][0] == 1) t = (unsigned<XLEN>)(PC + 8);
         PC = t; if (X[rs2][0] == 1) t = 0; X[rd] = t;";
    both_halves_of_a_product WIDTHS, "",
        "unsigned<(2*XLEN)> p = X[rs1] * X[rs2]; X[rd] = p[2*XLEN-1:XLEN] ^ p[XLEN-1:0];";
    a_signed_product_s_high_half WIDTHS, "",
        "signed<(2*XLEN)> p = (signed)X[rs1] * (signed)X[rs2]; X[rd] = (unsigned<XLEN>)(p >> XLEN);";
    a_rotation_by_more_than_the_width WIDTHS, "",
        "unsigned<32> x = X[rs1][31:0]; unsigned<6> n = X[rs2][5:0];
         if (n <= 32) { X[rd] = (x << n) | (x >> (32 - n)); } else { X[rd] = 0; }";
    a_shift_by_more_than_the_width WIDTHS, "",
        "unsigned<32> x = X[rs1][31:0]; unsigned<7> n = X[rs2][6:0];
         X[rd] = (unsigned<XLEN>)((x << n) ^ ((signed)x >> n) ^ (x >> n));";
    a_data_dependent_loop WIDTHS, "",
        "unsigned<XLEN> sum = 0;
         for (unsigned<8> i = 0; i < 10; i = (unsigned<8>)(i + 1)) {
             if (X[rs1] < i) continue;
             if (X[rs2][3:0] == i) break;
             sum = (unsigned<XLEN>)(sum + X[rs1]);
         }
         X[rd] = sum;";
    bits_written_where_data_says WIDTHS, "",
        "unsigned<XLEN> v = X[rs1]; v[X[rs2][4:0]] = 1; v[15:8] = X[rs2][7:0]; X[rd] = v;";
    a_comparison_of_mixed_signs WIDTHS, "",
        "X[rd] = (signed)X[rs1] < X[rs2] ? 1 : 0;";
    division_of_mixed_widths WIDTHS, "",
        "unsigned<8> b = X[rs2][7:0]; signed<XLEN> a = (signed)X[rs1];
         X[rd] = (unsigned<XLEN>)(a / b) ^ (unsigned<XLEN>)(a % b);";
    a_jump_that_also_writes WIDTHS, "",
        "X[rd] = X[rs2]; if (X[rs1] < X[rs2]) PC = (unsigned<XLEN>)(PC + 8);";
    a_jump_to_one_of_two WIDTHS, "",
        "if (X[rs1] < X[rs2]) { PC = (unsigned<XLEN>)(PC + 8); } else { PC = (unsigned<XLEN>)(PC + 4); }";
    an_exception_after_a_write WIDTHS, "",
        "X[rd] = X[rs1]; if (X[rs2][0] == 1) raise(0, 24);";
    a_load_chosen_by_data WIDTHS, "",
        "X[rd] = X[rs2][0] == 1 ? MEM[X[rs1]] : 3;";
    a_load_after_a_condition WIDTHS, "",
        "if (X[rs2][0] == 1) { X[rd] = MEM[X[rs1]]; } else { MEM[X[rs1]] = X[rs2][7:0]; }";
    a_constant_table WIDTHS,
        "architectural_state { const unsigned<8> T[5] = {1, 2, 4, 8, 16}; }",
        "X[rd] = T[X[rs1][2:0]];";
    a_function_with_two_ends WIDTHS,
        "functions { unsigned<8> f(unsigned<8> a) { if (a > 9) { return 1; } unsigned<8> b = a; if (b == 3) { b = 8; } return b; } }",
        "X[rd] = f(X[rs1][7:0]) :: f(X[rs2][3:0]);";
    a_register_of_one_s_own WIDTHS,
        "architectural_state { register unsigned<128> ACC; }",
        "ACC = (unsigned<128>)(ACC + X[rs1]); X[rd] = (unsigned<XLEN>)(ACC >> 4);";
    a_wide_load_and_store WIDTHS, "",
        "MEM[X[rs1]+15:X[rs1]] = (X[rs1] :: X[rs2])[63:0] :: (X[rs2] :: X[rs1])[63:0]; X[rd] = 1;";
}
