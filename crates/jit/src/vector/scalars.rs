//! Floating-point registers that are in values.

use cranelift_codegen::ir::{Type, Value};

/// Registers that are at hand.
#[derive(Clone, Default)]
pub struct Scalars {
    /// As lanes of these types.
    pub lanes: Vec<(u32, Type, Value)>,
    /// What was written to others, and whether that is a boxed number of at most 32 bits.
    pub written: Vec<(u32, Value, bool)>,
}

impl Scalars {
    /// None of them any more.
    pub fn clear(&mut self) {
        self.lanes.clear();
        self.written.clear();
    }
}
