//! Loops longer than a block, which become one once they are hot, and whose trips are compiled twice: for the case that
//! another one follows, and for the last. Both tiers are in the same state wherever a run is paused.

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

mod changed;
mod faults;
mod limits;
mod loops;
mod random;
mod regions;
mod short;

use std::rc::Rc;

use engine::{Machine, Program, Stop};
use hart::pages::PAGE;
use hart::{Address, Htif};
use jit::Jit;

use crate::guest::encode;
use crate::layouts::Layout;
use crate::loops::Loop;
use crate::pair::Pair;
use crate::watched::Watched;
use crate::watching::Counting;

/// What pages of a process may be used for. The code is in the first that may be read.
const LAYOUT: Layout =
    Layout::Pages { size: 8 * PAGE, readable: (PAGE, 6 * PAGE), writable: (3 * PAGE, 7 * PAGE) };
/// Address of the first instruction.
const CODE: u64 = PAGE;
/// Where nothing ends for as long as loops last.
const QUIET: u64 = 4 * PAGE + 0x800;
const ISA: &str = "rv64im_zbb_zicsr";
/// Executions before anything is compiled: by then, all blocks of a loop are known.
const AFTER: u32 = 2;

/// An instruction: its name, and operands by name.
type Instruction = (&'static str, Vec<(&'static str, i64)>);

fn bytes(program: &Program, all: &[Instruction]) -> Vec<u8> {
    let words = all.iter().map(|(name, fields)| encode(program.module(), name, fields));
    words.flat_map(u32::to_le_bytes).collect()
}

/// Both tiers with these instructions; one compiles what was executed more than `after` times.
fn pair<'p>(program: &'p Program, all: &[Instruction], after: u32) -> Pair<'p> {
    let code = bytes(program, all);
    let machine = || Machine::new(program, LAYOUT.memory(&code), Address(CODE), Htif::default());
    Pair::new(machine, 0..8 * PAGE, after)
}

/// Has the compiler keep at most so many bytes.
fn within(pair: &mut Pair<'_>, bytes: usize) {
    let jit = Jit::new().after(AFTER).within(bytes);
    pair.compiled.set_compiler(Box::new(Watched(jit, Rc::clone(&pair.seen))));
}

/// Begins at an instruction with registers set.
fn begin(pair: &mut Pair<'_>, instruction: u64, registers: &[(i64, u64)]) {
    pair.each(|machine| {
        machine.hart.set_pc(CODE + 4 * instruction);
        for &(register, value) in registers {
            machine.hart.set_x(register as u16, value);
        }
    });
}

/// Runs both for at most so many instructions more. All that was ever executed must have been counted alike.
fn counted(pair: &mut Pair<'_>, instructions: u64, context: impl Fn() -> String) -> Stop {
    let stop = pair.observed(instructions, || Counting, &context);
    assert_eq!(pair.compiled.histogram(), pair.interpreted.histogram(), "{}", context());
    assert_eq!(pair.compiled.profile(), pair.interpreted.profile(), "{}", context());
    stop
}

/// Both tiers with a loop that is hot.
fn hot<'p>(program: &'p Program, of: &Loop) -> Pair<'p> {
    let mut pair = pair(program, &of.code(), AFTER);
    warm(&mut pair, of);
    pair
}

/// Runs a loop until it is hot.
fn warm(pair: &mut Pair<'_>, of: &Loop) {
    for _ in 0..3 {
        begin(pair, 0, &of.registers(QUIET, 9, 3));
        pair.run(of.whole(9, 3), || format!("{of:?}"));
    }
}
