//! What may watch a run. An observer's constants are known when the interpreter is compiled, so that
//! what it does not ask for costs nothing.

use crate::block::Cache;
use crate::core::Core;
use crate::csr::Privilege;
use crate::memory::Address;

/// A memory access of one instruction, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// Address.
    pub address: Address,
    /// Size in bytes.
    pub size: u8,
    /// The stored value; `None` for a load.
    pub stored: Option<u64>,
}

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
    /// The CSR it wrote, with its new value.
    pub csr: Option<(u16, u64)>,
}

/// Watches a run.
pub trait Observer {
    /// Count executed instructions by kind.
    const HISTOGRAM: bool = false;
    /// Report each instruction to [`Observer::retired`]; blocks then hold one instruction each.
    const TRACE: bool = false;

    /// Addresses at which [`Observer::reached`] is called, before the instruction there executes.
    fn probes(&self) -> &[Address] {
        &[]
    }

    /// Execution is about to pass probe `index`.
    fn reached(&mut self, index: usize, core: &Core, cache: &Cache) {
        let _ = (index, core, cache);
    }

    /// An instruction retired.
    fn retired(&mut self, instruction: &Retired<'_>) {
        let _ = instruction;
    }
}

/// Watches nothing.
pub struct Blind;

impl Observer for Blind {}
