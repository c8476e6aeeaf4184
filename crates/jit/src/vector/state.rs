//! What is known of the vector unit while a block is compiled.

use cranelift_codegen::ir::Value;
use engine::tier::Region;
use hart::vector::Vtype;

use super::columns::Columns;
use super::expectation;
use super::lookahead::Lookahead;
use super::scalars::Scalars;

/// What is known of the vector unit at a point of a block.
#[derive(Clone, Default)]
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
    /// The floating-point unit is on and marked as changed, and its rounding mode is one.
    pub(super) is_float_legal: bool,
    /// 0 where the host's rounding and flags are the unit's: it rounds to nearest, and the inexact flag is raised. Where it
    /// is another number, that may be no more so.
    pub(super) rounds_otherwise: Option<Value>,
    /// Lanes of ones where the inexact flag was raised.
    pub(super) raised: Option<Value>,
    /// Host address of the register file, if it is at hand.
    pub(super) register_file: Option<Value>,
    /// Columns of the register file that are at hand.
    pub(super) columns: Columns,
    /// Floating-point registers that are at hand.
    pub(super) scalars: Scalars,
    /// What the rest of the block does with vector registers.
    pub(super) lookahead: Lookahead,
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
        (self.is_float_legal, self.rounds_otherwise, self.raised) = (false, None, None);
        self.forget();
    }

    /// Nothing is at hand any more; what was not stored is not for the code that follows.
    pub fn forget(&mut self) {
        self.register_file = None;
        self.columns.clear();
        self.scalars.clear();
        self.lookahead = Lookahead::default();
    }

    /// The instructions of the block are compiled in this order.
    pub fn look_ahead(&mut self, region: &Region<'_>, member: usize, order: &[usize]) {
        self.lookahead = Lookahead::new(region, region.members[member].block, order, self.vtype);
    }

    /// Another instruction is compiled.
    pub const fn go_on(&mut self) {
        self.lookahead.go_on();
    }
}
