//! A second look, out of line, where results or flags may not be the unit's: the host's are but for the bits of NaNs, and so
//! are its flags where these are raised already, or are none.

use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use hart::vector::compiled::{FloatLane, offset};

use super::again::{Arithmetic, Origin};
use super::formats::Numbers;
use super::guarded::Guarded;
use crate::builder::{Builder, own};

/// `fflags.NX` and so on.
pub const INEXACT: u64 = 1;
pub const UNDERFLOW: u64 = 1 << 1;
pub const OVERFLOW: u64 = 1 << 2;
pub const DIVIDED_BY_ZERO: u64 = 1 << 3;
pub const INVALID: u64 = 1 << 4;

/// How columns came about.
pub enum Unusual {
    /// By arithmetic on columns.
    Computed { lane: FloatLane, numbers: Vec<Numbers> },
    /// By arithmetic on numbers half as wide, or of which the first one is not.
    Doubled { lane: FloatLane, from_double: bool, numbers: Vec<Numbers> },
    /// By adding one element after the other, which are half as wide or not.
    Folded { doubles: bool },
    /// From doubles, with lanes of ones where they are the same as these.
    Narrowed { same: Vec<Value>, to_odd: bool },
    /// From integers, with lanes of ones where they are not the same as these.
    Rounded { inexact: Vec<Value> },
    /// By choosing one of two numbers.
    Chosen,
    /// By comparing numbers, of which quiet NaNs raise no flag, or any.
    Compared { is_quiet: bool },
}

impl Builder<'_, '_> {
    /// The unit's columns, whatever the numbers. Goes around if a flag may be missing.
    pub(super) fn unusual(
        &mut self,
        unusual: &Unusual,
        columns: &[Value],
        masks: &[Value],
        guarded: &Guarded,
        around: Block,
    ) -> Vec<Value> {
        match *unusual {
            Unusual::Computed { lane, ref numbers } => {
                let origins = numbers.iter().map(|numbers| Origin::of(lane, numbers)).collect();
                let arithmetic = Arithmetic { lane, format: guarded.format, origins, singles: Vec::new() };
                self.computed_again(&arithmetic, columns, masks, around)
            }
            Unusual::Doubled { lane, from_double, ref numbers } => {
                let origins = numbers.iter().map(|numbers| Origin::of(lane, numbers)).collect();
                let singles = self.singles_of(guarded, from_double);
                let arithmetic = Arithmetic { lane, format: guarded.format, origins, singles };
                self.computed_again(&arithmetic, columns, masks, around)
            }
            Unusual::Folded { doubles } => {
                self.folded_again(guarded, doubles, around);
                columns.to_vec()
            }
            Unusual::Narrowed { ref same, to_odd } => {
                self.narrowed_again(same, to_odd, columns, masks, around)
            }
            Unusual::Rounded { ref inexact } => {
                let any = self.any_active(inexact, masks);
                self.go_if(any, around);
                columns.to_vec()
            }
            Unusual::Chosen => self.chosen_again(columns, masks, guarded, around),
            Unusual::Compared { is_quiet } => {
                self.compared_again(is_quiet, guarded, around);
                columns.to_vec()
            }
        }
    }

    /// Lanes of ones where sums are not exact, which is soon found out; none of what are no sums. Those of products that are
    /// exact are such.
    pub(super) fn inexact_sums(&mut self, unusual: &Unusual, columns: &[Value]) -> Option<Vec<Value>> {
        let (lane, numbers, is_doubled) = match unusual {
            Unusual::Computed { lane, numbers } => (*lane, numbers, false),
            Unusual::Doubled { lane, numbers, .. } => (*lane, numbers, true),
            _ => return None,
        };
        let of = |(numbers, &sum)| self.inexact_sum(lane, numbers, is_doubled, sum);
        numbers.iter().zip(columns).map(of).collect()
    }

    /// Goes around if not all of these flags are raised, and something is missing then.
    pub(super) fn unless_raised(
        &mut self,
        raised: Value,
        flags: u64,
        around: Block,
        missing: impl FnOnce(&mut Self) -> Value,
    ) {
        let all = self.constant(flags);
        let unraised = self.ins.ins().band_not(all, raised);
        let [look, on] = std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(unraised, look, &[], on, &[]);
        self.begin_seldom(look);
        let missing = missing(self);
        self.ins.ins().brif(missing, around, &[], on, &[]);
        self.begin_seldom(on);
    }

    /// The flags that are raised.
    pub(super) fn raised_flags(&mut self) -> Value {
        let hart = self.hart();
        self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32)
    }

    /// Not 0 if there are ones.
    pub(super) fn any_of(&mut self, lanes: &[Value]) -> Value {
        let any = lanes.iter().copied().reduce(|any, lanes| self.ins.ins().bor(any, lanes));
        match any {
            Some(any) => self.ins.ins().vany_true(any),
            None => self.constant(0),
        }
    }

    /// The same in lanes that are active.
    pub(super) fn any_active(&mut self, lanes: &[Value], masks: &[Value]) -> Value {
        let of = |(index, &lanes): (usize, &Value)| match masks.get(index) {
            Some(&mask) => {
                let ty = self.ins.func.dfg.value_type(mask);
                let lanes = self.as_lanes(lanes, ty);
                self.ins.ins().band(lanes, mask)
            }
            None => lanes,
        };
        let lanes: Vec<Value> = lanes.iter().enumerate().map(of).collect();
        self.any_of(&lanes)
    }

    /// Goes to the first of two blocks if there are ones in all lanes that are active, and to the second otherwise.
    pub(super) fn branch_if_all(&mut self, lanes: &[Value], masks: &[Value], [yes, no]: [Block; 2]) {
        if masks.is_empty() {
            let all = lanes.iter().copied().reduce(|all, lanes| self.ins.ins().band(all, lanes));
            match all.map(|all| self.ins.ins().vall_true(all)) {
                Some(all) => self.ins.ins().brif(all, yes, &[], no, &[]),
                None => self.ins.ins().jump(yes, &[]),
            };
            return;
        }
        let of = |(&lanes, &mask): (&Value, &Value)| {
            let ty = self.ins.func.dfg.value_type(mask);
            let lanes = self.as_lanes(lanes, ty);
            self.ins.ins().band_not(mask, lanes)
        };
        let others: Vec<Value> = lanes.iter().zip(masks).map(of).collect();
        let any = self.any_of(&others);
        self.ins.ins().brif(any, no, &[], yes, &[]);
    }
}
