//! Accesses that compiled code does not check because blocks before them made them, or because they were checked where the
//! region was entered: what one tier refuses the other refuses, at the same place, with the same counts.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../stays/pair.rs"]
mod pair;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;
#[path = "../programs/watching.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod watching;

mod assembler;
mod budgets;
mod events;
mod loops;
mod narrow;
mod overwritten;
mod random;
mod restless;
mod rights;
mod space;
mod spans;
mod tables;
mod ways;

use engine::{Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::{Address, Htif};

use crate::assembler::assemble;
use crate::pair::Pair;
use crate::space::Space;

/// Executions after which blocks are compiled here.
const AFTER: u32 = 6;

/// A guest in both tiers.
struct Guest<'p> {
    pair: Pair<'p>,
    space: Space,
    mask: u64,
    after: u32,
    name: String,
}

impl<'p> Guest<'p> {
    /// Code at the first instruction of a space; compiled is what was executed more than `after` times.
    fn new(program: &'p Program, space: Space, code: &[u32], after: u32, name: impl Into<String>) -> Self {
        let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let machine = || {
            let start = Address(space.code());
            let tohost = space.tohost();
            let mut machine = Machine::new(program, space.memory(&bytes), start, Htif::new(tohost, None));
            // The floating-point unit is off at reset.
            machine
                .hart
                .write_csr(number::MSTATUS.into(), 3 << 13, Clock::default())
                .expect("it may be written");
            machine
        };
        let pair = Pair::new(machine, space.range(), after);
        Self { pair, space, mask: program.isa().xlen().mask(), after, name: name.into() }
    }

    /// The same of a text, compiled soon.
    fn of(program: &'p Program, space: Space, text: &str) -> Self {
        Self::new(program, space, &assemble(program, text), AFTER, format!("{space:?}"))
    }

    /// At the first instruction again, with registers set.
    fn begin(&mut self, registers: &[(u16, u64)]) {
        self.begin_at(0, registers);
    }

    /// The same at a word of the code.
    fn begin_at(&mut self, word: u64, registers: &[(u16, u64)]) {
        let (start, mask) = (self.space.code() + 4 * word, self.mask);
        self.pair.each(|machine| {
            machine.hart.set_pc(start);
            registers.iter().for_each(|&(register, value)| machine.hart.set_x(register, value & mask));
        });
    }

    /// Stores a doubleword from outside.
    fn poke(&mut self, address: u64, value: u64) {
        self.pair.each(|machine| {
            let bytes = match machine.memory.pages_mut() {
                Some(pages) => pages.raw_mut(address, 8),
                None => machine.memory.slice_mut(Address(address), 8),
            };
            bytes.expect("it").copy_from_slice(&value.to_le_bytes());
        });
    }

    /// Runs both for so many instructions more.
    fn run(&mut self, instructions: u64, context: impl Fn() -> String) -> Stop {
        let name = &self.name;
        self.pair.run(instructions, || format!("{name}: {}", context()))
    }

    /// From the first instruction until it fails or for so many instructions; true if it fails. Memory is compared, too.
    fn fails(&mut self, registers: &[(u16, u64)], instructions: u64) -> bool {
        self.begin(registers);
        let stop = self.run(instructions, || format!("{registers:x?}"));
        self.compare(|| format!("{registers:x?}"));
        matches!(stop, Stop::Fault(_))
    }

    /// Memory must be equal.
    fn compare(&mut self, context: impl Fn() -> String) {
        let name = &self.name;
        self.pair.assert_same_memory(|| format!("{name}: {}", context()));
    }

    /// Executes from a word on until all of it is compiled. What is compiled with it later is entered from there only.
    fn warm_at(&mut self, word: u64, registers: &[(u16, u64)], instructions: u64) {
        for _ in 0..4 * self.after {
            self.begin_at(word, registers);
            let stop = self.run(instructions, || format!("from word {word}"));
            assert!(!matches!(stop, Stop::Fault(_)), "{}: it fails", self.name);
        }
    }

    /// Executes with these registers until all of it is compiled.
    fn warm<const N: usize>(&mut self, ways: &[[(u16, u64); N]], instructions: u64) {
        for _ in 0..4 * self.after.max(2) {
            for registers in ways {
                assert!(!self.fails(registers, instructions), "{}: {registers:x?} fails", self.name);
            }
        }
        assert!(self.pair.seen.entered.get() > 0, "{}: nothing was compiled", self.name);
    }
}

/// Blocks that all load and store at a register, so that it is worth checking what they access before them; x24 says
/// which. `label` is the beginning of theirs.
fn chain(register: &str, label: &str) -> String {
    let part = |number: i64, accesses: &str| {
        format!("{accesses}; bne x24, x0, {label}{number}; addi x28, x28, 1; {label}{number}:;")
    };
    let (load, store) = (format!("ld x8, 0({register})"), format!("sd x9, 8({register})"));
    let both = [format!("{load}; {store}"), format!("lw x11, 4({register}); {store}")];
    (1..=4).map(|number| part(number, &both[number as usize % 2])).collect::<String>() + &both.join(";")
}
