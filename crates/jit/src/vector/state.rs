//! What is known of the vector unit while a block is compiled.

use std::collections::HashMap;

use cranelift_codegen::ir::Value;
use engine::tier::Region;
use hart::vector::Vtype;

use super::expectation;

/// What is known of the vector unit at a point of a block.
#[derive(Default)]
pub struct State {
    /// `vtype` at the beginning of each block, most likely.
    expected: Vec<Option<Vtype>>,
    /// `vl` under the `vtype` of now, if the region never sets it.
    steady: Option<(Vtype, u64)>,
    /// `vtype` here, most likely.
    pub(super) vtype: Option<Vtype>,
    /// It is so, `vstart` is 0, and the unit is on and marked as changed.
    pub(super) is_certain: bool,
    /// `vl`, most likely, and certain with `vtype`.
    pub(super) vl: Option<u64>,
    /// First micro-operation that has not been compiled yet together with one before it.
    pub(super) next: usize,
    /// Host address of the register file, if it is at hand.
    pub(super) register_file: Option<Value>,
    /// Columns of the register file that are at hand, by their offsets.
    pub(super) cache: HashMap<usize, Value>,
}

impl State {
    /// What can be expected of a region.
    pub fn new(region: &Region<'_>) -> Self {
        let (expected, steady) = (expectation::at_blocks(region), expectation::steady(region));
        Self { expected, steady, ..Self::default() }
    }

    /// At the beginning of a block.
    pub fn begin(&mut self, member: usize) {
        self.vtype = self.expected.get(member).copied().flatten();
        let steady = self.steady.filter(|&(vtype, _)| self.vtype == Some(vtype));
        (self.is_certain, self.vl, self.next) = (false, steady.map(|(_, vl)| vl), 0);
        self.register_file = None;
        self.cache.clear();
    }
}
