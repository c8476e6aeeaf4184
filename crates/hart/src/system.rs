//! What a guest's instructions act on.

use crate::hart::Hart;
use crate::memory::Memory;

/// A hart, and memory beside it.
pub struct System {
    /// Architectural state.
    pub hart: Hart,
    /// Guest memory.
    pub memory: Memory,
}
