//! Long blocks, whose accesses compiled code checks where the block begins, and shifts that it makes extensions of: what
//! one tier refuses the other refuses, at the same place, and nothing that stands before it is lost or done twice.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../reach/layouts.rs"]
mod layouts;
#[path = "../stays/pair.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod pair;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;

mod blocks;
mod far;
mod late;
mod loops;
mod shifts;

use engine::{Machine, Program};
use hart::csr::{Clock, number};
use hart::{Address, Htif};

use crate::guest::encode;
use crate::layouts::Layout;
use crate::pair::Pair;

/// An instruction: its name, and operands by name.
type Instruction<'a> = (&'a str, Vec<(&'a str, i64)>);

/// `addi` and the like.
fn immediate<'a>(name: &'a str, rd: i64, rs1: i64, imm: i64) -> Instruction<'a> {
    (name, vec![("rd", rd), ("rs1", rs1), ("imm", imm)])
}

/// A load or store of a register.
fn access<'a>(name: &'a str, data: i64, base: i64, offset: i64) -> Instruction<'a> {
    let moved = if name.starts_with('S') || name.starts_with("FS") { "rs2" } else { "rd" };
    (name, vec![(moved, data), ("rs1", base), ("imm", offset)])
}

/// Words of instructions.
fn words<'a>(program: &Program, all: impl IntoIterator<Item = Instruction<'a>>) -> Vec<u32> {
    all.into_iter().map(|(name, fields)| encode(program.module(), name, &fields)).collect()
}

/// Both tiers with this code where a layout begins; one compiles what was executed more than `after` times.
fn pair<'p>(program: &'p Program, layout: Layout, words: &[u32], after: u32) -> Pair<'p> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let machine = || {
        let start = Address(layout.code());
        let mut machine =
            Machine::new(program, layout.memory(&code), start, Htif::new(layout.tohost(), None));
        // The floating-point unit is off at reset.
        machine
            .hart
            .csrs
            .write(number::MSTATUS.into(), 3 << 13, Clock::default())
            .expect("it may be written");
        machine
    };
    Pair::new(machine, 0..0, after)
}

/// Begins at the first instruction with registers set.
fn begin(
    pair: &mut Pair<'_>,
    program: &Program,
    layout: Layout,
    registers: impl IntoIterator<Item = (i64, u64)>,
) {
    let registers: Vec<_> = registers.into_iter().collect();
    pair.each(|machine| {
        machine.hart.set_pc(layout.code());
        for &(register, value) in &registers {
            machine.hart.set_x(register as u16, value & program.isa().xlen().mask());
        }
    });
}

/// Memory must be equal.
fn assert_same_memory(pair: &mut Pair<'_>, layout: Layout, context: impl Fn() -> String) {
    let (a, b) = (&mut pair.interpreted.memory, &mut pair.compiled.memory);
    assert!(layout.contents(a) == layout.contents(b), "memory differs, {}", context());
}
