//! Hot code, compiled to the host's machine code with Cranelift.
//!
//! Input are the micro-operations that the interpreter executes, so that both tiers mean the same by every
//! instruction, a user's own included. A region is compiled into one function with the integer registers as
//! SSA values. Whatever is out of the ordinary (a fault, a write to `tohost`, a CSR, the end of the budget)
//! leaves compiled code at an instruction's beginning, with the state the interpreter would have there, and
//! is the interpreter's to carry out. No semantics of the guest's machine may enter this crate but what `vsetvli`
//! makes of `vl`, and lanes of the host for the vector unit's commonest operations.

mod access;
mod arithmetic;
mod bounds;
mod builder;
mod code;
mod frame;
mod granted;
mod known;
mod record;
mod region;
mod shape;
mod tables;
mod translate;
mod unit;
mod vector;

use engine::program::Program;
use engine::tier::{Compiler, Entry, HOT, Refused, Region, Return};
use engine::timed::Records;
use hart::vector::VectorUnit;
use hart::{AgnosticFill, System, memory::Layout};

use crate::code::Code;
use crate::granted::{COSTLY, Changing};

/// Bytes of machine code and tables at most, before all of it is dropped.
const MOST_BYTES: usize = 64 << 20;

/// What compiled code takes for granted: where memory is, how long vector registers are, and what becomes of
/// agnostic elements.
type Environment = (Layout, usize, AgnosticFill);

const fn environment(layout: Layout, vector: &VectorUnit) -> Environment {
    (layout, vector.vlenb(), vector.fill())
}

/// A compiler for one machine.
pub struct Jit {
    threshold: u32,
    most_bytes: usize,
    /// Compiled code, and what it was compiled for.
    code: Option<(Code, Environment)>,
    changing: Changing,
}

impl Jit {
    /// A compiler for the host's processor.
    pub fn new() -> Self {
        Self { threshold: HOT, most_bytes: MOST_BYTES, code: None, changing: Changing::after(COSTLY) }
    }

    /// Compiles a block when it has been executed more than `executions` times.
    #[must_use]
    pub fn after(mut self, executions: u32) -> Self {
        self.threshold = executions;
        self
    }

    /// Compiles again when accesses were granted another range of memory than before more than so many times each.
    #[must_use]
    pub fn changing_after(mut self, changes: u64) -> Self {
        self.changing = Changing::after(changes);
        self
    }

    /// Bytes of host memory that machine code takes now.
    pub fn bytes(&self) -> usize {
        self.code.as_ref().map_or(0, |(code, _)| code.bytes())
    }

    /// Keeps at most some `bytes` of machine code.
    #[must_use]
    pub fn within(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }
}

impl Default for Jit {
    fn default() -> Self {
        Self::new()
    }
}

impl Compiler for Jit {
    fn threshold(&self) -> u32 {
        self.threshold
    }

    fn compile(&mut self, region: &Region<'_>) -> Result<Vec<Option<Entry>>, Refused> {
        if !shape::worthwhile(region) {
            return Err(Refused::Unfit);
        }
        let full = |code: &Code| code.is_full(self.most_bytes);
        let environment = environment(region.layout, region.vector);
        if self.code.as_ref().is_some_and(|(code, others)| full(code) || *others != environment) {
            return Err(Refused::Full);
        }
        if self.code.is_none() {
            self.code = Some((Code::new().ok_or(Refused::Unfit)?, environment));
        }
        match &mut self.code {
            Some((code, _)) => code.add(region, &self.changing).ok_or(Refused::Unfit),
            None => Err(Refused::Unfit),
        }
    }

    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        let (code, compiled_for) = self.code.as_mut()?;
        let layout = system.memory.layout();
        if *compiled_for != environment(layout, &system.hart.vector) || self.changing.is_costly(code.sites())
        {
            return None;
        }
        let returned = code.enter(entry, system, program, &layout, budget, records);
        code.look_up(&mut system.memory, &mut self.changing);
        returned
    }

    fn clear(&mut self) {
        self.code = None;
    }

    fn another(&self) -> Box<dyn Compiler> {
        let changing = Changing::after(self.changing.most());
        Box::new(Self { threshold: self.threshold, most_bytes: self.most_bytes, code: None, changing })
    }
}
