//! The plain evaluator: effects wait for the end, and sequential reads see them.

use std::collections::HashMap;

use coredsl::eval::{self, Fault, Machine, Outcome};
use coredsl::ir::{FuncId, Module, RegId, SpaceId};
use coredsl::{MemorySources, Program, elaborate};
use ethnum::U256;

const BASE: &str = include_str!("sources/base.core_desc");

/// Registers and bytes that were set; the others read 0. Addresses from 0xf000 refuse access.
#[derive(Default, PartialEq, Eq, Debug, Clone)]
struct State {
    registers: HashMap<(u32, u32), U256>,
    cells: HashMap<(u32, u64), u8>,
}

impl State {
    fn with_x(values: &[(u32, u64)]) -> Self {
        let registers = values.iter().map(|(index, value)| ((0, *index), U256::from(*value))).collect();
        Self { registers, cells: HashMap::new() }
    }

    fn x(&self, index: u32) -> u64 {
        self.registers.get(&(0, index)).copied().unwrap_or_default().as_u64()
    }
}

impl Machine for State {
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256 {
        self.registers.get(&(reg.0, index)).copied().unwrap_or_default()
    }

    fn write_reg(&mut self, reg: RegId, index: u32, value: U256) {
        self.registers.insert((reg.0, index), value);
    }

    fn read_space(&mut self, space: SpaceId, address: u64, elements: u32) -> Result<U256, Fault> {
        if address >= 0xf000 {
            return Err(Fault::Access { space, address });
        }
        let byte = |offset: u32| {
            self.cells.get(&(space.0, address + u64::from(offset))).copied().unwrap_or_default()
        };
        Ok((0..elements).rev().fold(U256::ZERO, |value, offset| value << 8_u32 | U256::from(byte(offset))))
    }

    fn write_space(&mut self, space: SpaceId, address: u64, elements: u32, value: U256) -> Result<(), Fault> {
        if address >= 0xf000 {
            return Err(Fault::Access { space, address });
        }
        for offset in 0..elements {
            self.cells.insert((space.0, address + u64::from(offset)), (value >> (8 * offset)).as_u8());
        }
        Ok(())
    }
}

fn module(functions: &str, behavior: &str) -> Module {
    let text = format!(
        "import \"base.core_desc\" InstructionSet Test extends Base {{ functions {{ {functions} }} instructions {{ \
         OP {{ encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'd11; behavior: {behavior} }} }} }}"
    );
    let sources = MemorySources::new().with("base.core_desc", BASE).with("test", text);
    let program = Program::load("test", &sources).unwrap_or_else(|errors| panic!("{errors}"));
    elaborate(&program, &["Test"], 64).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Executes a behaviour with rd = 3, rs1 = 1, rs2 = 2 at 0x1000.
fn execute(behavior: &str, state: &mut State) -> Result<Outcome, Fault> {
    let module = module("", behavior);
    let word = 2 << 20 | 1 << 15 | 3 << 7 | 11;
    eval::execute(&module, &module.instructions[0], word, 0x1000, state)
}

fn done(next_pc: u64) -> Result<Outcome, Fault> {
    Ok(Outcome::Done { next_pc, calls: vec![] })
}

#[test]
fn sequential_reads_see_earlier_writes() {
    let mut state = State::with_x(&[(1, 5), (3, 7)]);
    let behavior = "{ X[rd] = X[rs1]; X[rs1] = (unsigned<XLEN>)(X[rd] + 1); X[rd][63:60] = 15; }";
    assert_eq!(execute(behavior, &mut state), done(0x1004));
    assert_eq!((state.x(1), state.x(3)), (6, 15 << 60 | 5));
}

#[test]
fn element_zero_of_the_main_file_is_zero() {
    let mut state = State::with_x(&[(1, 5)]);
    assert_eq!(execute("{ X[0] = 9; X[rd] = X[0]; }", &mut state), done(0x1004));
    assert_eq!((state.x(0), state.x(3)), (0, 0));
}

#[test]
fn the_pc_is_this_instruction_until_its_end() {
    let mut state = State::default();
    assert_eq!(
        execute("{ X[rd] = (unsigned<XLEN>)(PC + 4); PC += (signed<5>)-8; }", &mut state),
        done(0xff8)
    );
    assert_eq!(state.x(3), 0x1004);
}

#[test]
fn raise_discards_effects() {
    let before = State::with_x(&[(1, 5)]);
    let mut state = before.clone();
    let behavior = "{ X[rd] = 1; MEM[X[rs1]] = 2; PC = 0; set_tval(X[rs1]); raise(0, ILLEGAL); X[rs2] = 1; }";
    let raised = Outcome::Raised { cause: U256::from(2_u8), tval: U256::from(5_u8) };
    assert_eq!(execute(behavior, &mut state), Ok(raised));
    assert_eq!(state, before);
}

#[test]
fn a_fault_discards_effects() {
    let before = State::with_x(&[(1, 0xf000)]);
    for behavior in ["{ X[rd] = 1; MEM[X[rs1]] = 2; }", "{ X[rd] = 1; X[rs2] = MEM[X[rs1]+3:X[rs1]]; }"] {
        let mut state = before.clone();
        let fault = Fault::Access { space: SpaceId(0), address: 0xf000 };
        assert_eq!(execute(behavior, &mut state), Err(fault));
        assert_eq!(state, before);
    }
}

#[test]
fn memory_is_little_endian() {
    let mut state = State::with_x(&[(1, 0x100), (2, 0x1122_3344_5566_7788)]);
    assert_eq!(execute("MEM[X[rs1]+7:X[rs1]] = X[rs2];", &mut state), done(0x1004));
    assert_eq!(state.cells[&(0, 0x100)], 0x88);
    assert_eq!(execute("X[rd] = MEM[X[rs1]+2:X[rs1]+1];", &mut state), done(0x1004));
    assert_eq!(state.x(3), 0x6677);
}

#[test]
fn a_space_other_than_memory_reads_what_was_written() {
    let mut state = State::with_x(&[(1, 0x23)]);
    assert_eq!(
        execute("{ CSR[5][7:0] = 0x45; CSR[5][11:8] = 7; X[rd] = CSR[5]; }", &mut state),
        done(0x1004)
    );
    assert_eq!(state.x(3), 0x745);
}

#[test]
fn only_the_chosen_operand_touches_memory() {
    let mut state = State::with_x(&[(1, 0xf000), (2, 0x40)]);
    assert_eq!(execute("X[rd] = rd == 0 ? MEM[X[rs1]] : MEM[X[rs2]];", &mut state), done(0x1004));
    assert_eq!(execute("X[rd] = rd == 0 && MEM[X[rs1]] == 0;", &mut state), done(0x1004));
    assert!(execute("X[rd] = rd == 0 || MEM[X[rs1]] == 0;", &mut state).is_err());
}

#[test]
fn an_element_that_does_not_exist_is_a_fault() {
    let index = U256::from(33_u8);
    let mut state = State::default();
    assert_eq!(execute("X[rd + 30] = 1;", &mut state), Err(Fault::Index { reg: RegId(0), index }));
}

#[test]
fn extern_calls_are_handed_out() {
    let calls = vec![("wait".to_owned(), vec![U256::from(7_u8)])];
    let outcome = Outcome::Done { next_pc: 0x1004, calls };
    assert_eq!(execute("{ wait(7); return; wait(8); }", &mut State::default()), Ok(outcome));
}

#[test]
fn loops_count_break_and_continue() {
    let mut state = State::with_x(&[(1, 0b1011_0000)]);
    let behavior = "{ unsigned<7> n = 0; for (unsigned int i = 0; i < XLEN; i++) { \
                    if (i == 4) continue; if (X[rs1][i]) break; n++; } \
                    do { n += 10; } while (0); unsigned<7> m = 1; while (m < 50) m += 20; X[rd] = n + m; }";
    assert_eq!(execute(behavior, &mut state), done(0x1004));
    // Bits 0 to 3 count; bit 4 is skipped, bit 5 ends the loop.
    assert_eq!(state.x(3), 14 + 61);
}

#[test]
fn functions_return_early() {
    let functions = "unsigned<8> log(unsigned<16> x) { for (int i = 15; i >= 0; i--) if (x[i]) return (unsigned<8>)i; \
                     switch (x) { case 0: return 255; default: break; } return 0; }";
    let module = module(functions, "{}");
    for (argument, result) in [(0_u16, 255_u8), (1, 0), (2, 1), (0x8001, 15)] {
        assert_eq!(eval::function(&module, FuncId(0), &[U256::from(argument)]), U256::from(result));
    }
}

#[test]
fn shifts_past_the_width_and_divisions_by_zero() {
    let mut state = State::with_x(&[(1, 1 << 63), (2, 0)]);
    let check = |state: &mut State, expression: &str, expected: u64| {
        assert_eq!(execute(&format!("X[rd] = (unsigned<XLEN>)({expression});"), state), done(0x1004));
        assert_eq!(state.x(3), expected, "{expression}");
    };
    check(&mut state, "X[rs1] << 64", 0);
    check(&mut state, "X[rs1] >> (X[rs1] + 63)", 0);
    check(&mut state, "(signed)X[rs1] >> 200", u64::MAX);
    check(&mut state, "X[rs1] << ((signed)X[rs2] - 1)", 0);
    check(&mut state, "X[rs1] / X[rs2]", u64::MAX);
    check(&mut state, "X[rs1] % X[rs2]", 1 << 63);
    check(&mut state, "(signed)X[rs1] / -1", 1 << 63);
    check(&mut state, "(signed)X[rs1] % -3", (-((1_i128 << 63) % 3)) as u64);
    check(&mut state, "SQUARES[X[rs1]] + SQUARES[3]", 9);
}
