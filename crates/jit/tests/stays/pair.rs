//! One guest in both tiers.

use std::ops::Range;
use std::rc::Rc;

use engine::{Blind, Limits, Machine, Observer, Stop};
use hart::{Address, Host};
use jit::Jit;

use crate::watched::{Seen, Watched};

/// A host that lets a run go on up to its limit.
struct Patient;

impl Host for Patient {
    fn console(&mut self, _: &[u8]) {}

    fn keep_going(&mut self) -> bool {
        true
    }
}

/// Two machines in the same state; what was seen of the compiler of one.
pub struct Pair<'p> {
    pub interpreted: Machine<'p>,
    pub compiled: Machine<'p>,
    pub seen: Rc<Seen>,
    /// Where memory is compared.
    range: Range<u64>,
}

impl<'p> Pair<'p> {
    /// Two machines; one compiles what was executed more than `after` times.
    pub fn new(machine: impl Fn() -> Machine<'p>, range: Range<u64>, after: u32) -> Self {
        let (interpreted, mut compiled, seen) = (machine(), machine(), Rc::new(Seen::default()));
        compiled.set_compiler(Box::new(Watched(Jit::new().after(after), Rc::clone(&seen))));
        Self { interpreted, compiled, seen, range }
    }

    /// Does the same to both.
    pub fn each(&mut self, mut change: impl FnMut(&mut Machine<'p>)) {
        change(&mut self.interpreted);
        change(&mut self.compiled);
    }

    /// Runs both for at most so many instructions more; all of their state but memory must be equal then.
    pub fn run(&mut self, instructions: u64, context: impl Fn() -> String) -> Stop {
        self.observed(instructions, || Blind, context)
    }

    /// The same for somebody who watches.
    pub fn observed<O: Observer>(
        &mut self,
        instructions: u64,
        observer: impl Fn() -> O,
        context: impl Fn() -> String,
    ) -> Stop {
        let run = |machine: &mut Machine<'p>| {
            let limits = Limits { instructions: Some(machine.hart.retired() + instructions) };
            machine.run(limits, &mut observer(), &mut Patient)
        };
        let (expected, stop) = (run(&mut self.interpreted), run(&mut self.compiled));
        assert_eq!(stop, expected, "{}", context());
        self.assert_same_harts(context);
        stop
    }

    /// All of the state but memory must be equal.
    pub fn assert_same_harts(&self, context: impl Fn() -> String) {
        let (a, b) = (&self.interpreted, &self.compiled);
        let position = |machine: &Machine<'_>| (machine.hart.pc(), machine.hart.retired());
        assert_eq!(position(b), position(a), "{}", context());
        for register in 0..32 {
            assert_eq!(b.hart.x(register), a.hart.x(register), "x{register}, {}", context());
        }
        assert!(a.hart.float == b.hart.float, "floating-point registers, {}", context());
        let registers = if a.hart.vector.vlenb() == 0 { 0 } else { 32 };
        let same = (0..registers)
            .all(|register| a.hart.vector.register(register) == b.hart.vector.register(register));
        assert!(same, "vector registers, {}", context());
        // Without a reservation, its address says nothing.
        let reserved =
            |machine: &Machine<'_>| machine.memory.is_reserved().then_some(machine.memory.reservation);
        assert_eq!(reserved(b), reserved(a), "{}", context());
    }

    /// Goes on after the instruction that stopped both, as a handler would.
    pub fn skip(&mut self) {
        self.each(|machine| {
            let pc = machine.hart.pc().0;
            machine.hart.set_pc(pc + 4);
        });
    }

    /// Memory must be equal.
    pub fn assert_same_memory(&mut self, context: impl Fn() -> String) {
        let (start, size) = (self.range.start, (self.range.end - self.range.start) as usize);
        let bytes = |machine: &mut Machine<'_>| {
            match machine.memory.pages_mut() {
                Some(pages) => pages.raw_mut(start, size).map(|bytes| bytes.to_vec()),
                None => machine.memory.slice(Address(start), size).map(<[u8]>::to_vec),
            }
            .expect("all of it")
        };
        let same = bytes(&mut self.interpreted) == bytes(&mut self.compiled);
        assert!(same, "memory differs, {}", context());
    }
}
