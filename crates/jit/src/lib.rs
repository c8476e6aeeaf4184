//! Hot code, compiled to the host's machine code with Cranelift.
//!
//! Input are the micro-operations that the interpreter executes, so that both tiers mean the same by every
//! instruction, a user's own included. A region is compiled into one function with the integer registers as
//! SSA values. Whatever is out of the ordinary (a fault, a write to `tohost`, a CSR, the end of the budget)
//! leaves compiled code at an instruction's beginning, with the state the interpreter would have there, and
//! is the interpreter's to carry out. No semantics of the guest's machine may enter this crate but what `vsetvli`
//! makes of `vl`, and lanes of the host for the vector unit's commonest operations.

mod access;
mod ahead;
mod allowed;
mod arithmetic;
mod bounds;
mod builder;
mod changed;
mod code;
mod csr;
mod executions;
mod float;
mod frame;
mod functions;
mod granted;
mod homes;
mod known;
mod late;
mod narrow;
mod record;
mod region;
mod reservation;
mod returns;
mod shape;
mod sink;
mod sites;
mod strided;
mod sums;
mod superword;
mod tables;
mod translate;
mod unary;
mod unit;
mod unseen;
mod vector;
mod ways_in;

use std::ops::Range;

use engine::block::Block;
use engine::program::Program;
use engine::tier::{Compiler, Entry, HOT, Refused, Region, Return};
use engine::timed::Records;
use hart::vector::VectorUnit;
use hart::{AgnosticFill, System, memory::Layout};

use crate::code::Code;
use crate::frame::Frame;

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
    /// Uses what few hosts have, where this one does.
    rare: bool,
    /// Compiled code, and what it was compiled for.
    code: Option<(Code, Environment)>,
    /// Made with the first code and kept when that is dropped: the host would hand out another one touched as a whole.
    frame: Option<Box<Frame>>,
}

impl Jit {
    /// A compiler for the host's processor.
    pub fn new() -> Self {
        Self { threshold: HOT, most_bytes: MOST_BYTES, rare: true, code: None, frame: None }
    }

    /// Compiles a block when it has been executed more than `executions` times.
    #[must_use]
    pub fn after(mut self, executions: u32) -> Self {
        self.threshold = executions;
        self
    }

    /// Compiles as on hosts without AVX-512, for tests.
    #[must_use]
    pub fn without_rare(mut self) -> Self {
        self.rare = false;
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
            self.frame.get_or_insert_with(Frame::new);
        }
        match &mut self.code {
            Some((code, _)) => code.add(region, self.rare).ok_or(Refused::Unfit),
            None => Err(Refused::Unfit),
        }
    }

    fn wants_whole(&self, program: &Program, layout: Layout, of: &Block) -> bool {
        strided::follows(program, layout, of)
    }

    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        let ((code, compiled_for), frame) = (self.code.as_mut()?, self.frame.as_mut()?);
        let layout = system.memory.layout();
        if *compiled_for != environment(layout, &system.hart.vector) {
            return None;
        }
        frame.bytes = layout.bytes;
        let returned = code.enter(frame, entry, system, program, budget, records);
        if let Some(pages) = system.memory.pages_mut()
            && let Some(site) = frame.look_up(pages, code.sites())
        {
            code.missed(site);
        }
        returned
    }

    fn outdated(&mut self) -> Option<Range<u32>> {
        self.code.as_mut()?.0.outdated()
    }

    fn clear(&mut self) {
        if let (Some((code, _)), Some(frame)) = (self.code.take(), &mut self.frame) {
            frame.forget(code.sites().count());
        }
    }

    fn another(&self) -> Box<dyn Compiler> {
        Box::new(Self { code: None, frame: None, ..*self })
    }
}
