//! What an instruction reaches beside the state of its hart.

use crate::effects::Effects;
use crate::memory::Memory;

/// A hart's way to memory, for the time of one instruction.
pub struct Port<'a> {
    /// Guest memory.
    pub memory: &'a mut Memory,
    /// Where it says what it does, if the run is traced.
    pub effects: Option<&'a mut Effects>,
}

impl Port<'_> {
    /// Notes a memory access, if the run is traced.
    #[inline(always)]
    pub fn note(&mut self, address: u64, size: usize, stored: Option<u64>) {
        if let Some(effects) = &mut self.effects {
            effects.access(address, size, stored);
        }
    }
}
