//! How often blocks were executed, by kind and by address, in both tiers. Compiled code counts the trips of some loops only
//! where they end, by what they spent of the budget: a trip that is lost or counted twice on one of the ways out shows
//! here, and so does a branch back that is taken when it should not be.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../reach/layouts.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod layouts;
#[path = "../stays/pair.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod pair;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;
#[path = "../programs/watching.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod watching;

mod arrays;
mod branches;
mod faults;
mod limits;
mod loops;
mod pairs;
mod timed;

use engine::{Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::pages::PAGE;
use hart::{Address, Htif};

use crate::guest::encode;
use crate::layouts::Layout;
use crate::pair::Pair;
use crate::watching::Counting;

/// What pages of a process may be used for. The code is in the first that may be read.
const LAYOUT: Layout =
    Layout::Pages { size: 8 * PAGE, readable: (PAGE, 6 * PAGE), writable: (3 * PAGE, 7 * PAGE) };
/// Address of the first instruction.
const CODE: u64 = PAGE;
/// Where nothing ends for as long as loops last.
const QUIET: u64 = 4 * PAGE + 0x800;

/// An instruction: its name, and operands by name.
type Instruction = (&'static str, Vec<(&'static str, i64)>);

/// `addi` and the like.
fn immediate(name: &'static str, rd: i64, rs1: i64, imm: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("imm", imm)])
}

fn add(rd: i64, rs1: i64, imm: i64) -> Instruction {
    immediate("ADDI", rd, rs1, imm)
}

fn three(name: &'static str, rd: i64, rs1: i64, rs2: i64) -> Instruction {
    (name, vec![("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

/// A load or store of a register.
fn access(name: &'static str, data: i64, base: i64, offset: i64) -> Instruction {
    let moved = if name.starts_with('S') { "rs2" } else { "rd" };
    (name, vec![(moved, data), ("rs1", base), ("imm", offset)])
}

/// A branch over so many instructions, backwards if it is negative.
fn branch(name: &'static str, rs1: i64, rs2: i64, over: i64) -> Instruction {
    (name, vec![("rs1", rs1), ("rs2", rs2), ("imm", 4 * over)])
}

fn jump(over: i64) -> Instruction {
    ("JAL", vec![("imm", 4 * over)])
}

/// Both tiers with these instructions; one compiles what was executed more than `after` times.
fn pair<'p>(program: &'p Program, all: &[Instruction], after: u32) -> Pair<'p> {
    let words = all.iter().map(|(name, fields)| encode(program.module(), name, fields));
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let machine = || {
        let mut machine = Machine::new(program, LAYOUT.memory(&code), Address(CODE), Htif::default());
        // The floating-point unit is off at reset.
        machine.hart.write_csr(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("a register");
        machine
    };
    Pair::new(machine, 0..8 * PAGE, after)
}

/// Begins at an instruction with registers set.
fn begin(pair: &mut Pair<'_>, instruction: u64, registers: &[(i64, u64)]) {
    pair.each(|machine| {
        let mask = machine.hart.csrs.xlen().mask();
        machine.hart.set_pc(CODE + 4 * instruction);
        for &(register, value) in registers {
            machine.hart.set_x(register as u16, value & mask);
        }
    });
}

/// Runs both for at most so many instructions more. All that was ever executed must have been counted alike.
fn counted(pair: &mut Pair<'_>, instructions: u64, context: impl Fn() -> String) -> Stop {
    let stop = counted_by_kind(pair, instructions, &context);
    assert_same_profiles(pair, context);
    stop
}

/// The same without the counts by address, which take a while to make.
fn counted_by_kind(pair: &mut Pair<'_>, instructions: u64, context: impl Fn() -> String) -> Stop {
    let stop = pair.observed(instructions, || Counting, &context);
    assert_eq!(pair.compiled.histogram(), pair.interpreted.histogram(), "{}", context());
    stop
}

/// Counts by address must be equal.
fn assert_same_profiles(pair: &Pair<'_>, context: impl Fn() -> String) {
    assert_eq!(pair.compiled.profile(), pair.interpreted.profile(), "{}", context());
}
