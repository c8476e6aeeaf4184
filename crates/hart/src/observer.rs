//! What may watch a run. An observer's constants are known when the interpreter is compiled, so that
//! what it does not ask for costs nothing.

use isa::InstructionId;

use crate::block::Cache;
use crate::csr::Privilege;
use crate::float::FloatEffect;
use crate::hart::Hart;
use crate::memory::{Address, MemoryAccess};
use crate::native::Marker;
use crate::vector::VectorEffects;

/// One retired instruction, for traces.
#[derive(Debug)]
pub struct Retired<'a> {
    /// Mode it executed in.
    pub privilege: Privilege,
    /// Its address.
    pub pc: Address,
    /// Its word; the upper half of a compressed one is zero.
    pub word: u32,
    /// Integer registers it writes, with their new values.
    pub registers: &'a [(u16, u64)],
    /// Memory accesses in order.
    pub accesses: &'a [MemoryAccess],
    /// The CSR it wrote, with its new value; `fflags` for flags raised, none of what the vector unit sets by the way.
    pub csr: Option<(u16, u64)>,
    /// The floating-point register it wrote.
    pub float: Option<FloatEffect>,
    /// What it did to the vector unit, if it is of that.
    pub vector: Option<VectorEffects>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It goes on.
    Continue,
    /// It ends here ([`crate::Stop::Observed`]); it may be taken up again.
    Stop,
}

/// Watches a run.
pub trait Observer {
    /// Count executed instructions by kind.
    const HISTOGRAM: bool = false;
    /// Report each instruction to [`Observer::retired`]; blocks then hold one instruction each.
    const TRACE: bool = false;
    /// Keep executed instructions by address ([`Cache::profile`]); needs [`Observer::HISTOGRAM`].
    const PROFILE: bool = false;

    /// Addresses at which [`Observer::reached`] is called, before the instruction there executes.
    fn probes(&self) -> &[Address] {
        &[]
    }

    /// Execution is about to pass probe `index`.
    fn reached(&mut self, index: usize, hart: &Hart, cache: &Cache) -> Flow {
        let _ = (index, hart, cache);
        Flow::Continue
    }

    /// The program has executed a marker, instruction `id`, which counts as retired already.
    fn marked(&mut self, marker: Marker, id: InstructionId, hart: &Hart, cache: &Cache) {
        let _ = (marker, id, hart, cache);
    }

    /// An instruction retired.
    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        let _ = instruction;
        Flow::Continue
    }
}

/// Watches nothing.
pub struct Blind;

impl Observer for Blind {}
