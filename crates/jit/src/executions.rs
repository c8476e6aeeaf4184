//! Counting how often blocks are executed. Trips of a loop are counted where it ends, by what they spent of the budget.

use std::cell::Cell;

use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::builder::{Builder, own};
use crate::frame;

impl Builder<'_, '_> {
    /// What an execution of a block leaves, whatever its instructions do.
    pub fn begin_block(&mut self, index: usize) {
        if self.region.timed {
            self.begin_record(index);
        }
        if let Some(executions) = self.region.members[index].executions.filter(|_| self.trips.is_none()) {
            let one = self.constant(1);
            self.count(executions, one);
        }
    }

    /// Trips of a loop begin, after whose first so much of the budget is left for others: [`Self::count_paid`] compares
    /// with it.
    pub fn may_spend(&mut self, index: usize, budget: Value) {
        if self.region.members[index].executions.is_some() {
            self.ins.ins().store(own(), budget, self.frame, frame::SPENDABLE);
        }
    }

    /// Counts the trips of a loop that were paid for since [`Self::may_spend`], and `more`.
    pub fn count_paid(&mut self, index: usize, more: u64) {
        let member = &self.region.members[index];
        let Some(executions) = member.executions else { return };
        let length = member.block.decoded.len() as u64;
        let budget = self.ins.use_var(self.budget);
        let spendable = self.ins.ins().load(types::I64, own(), self.frame, frame::SPENDABLE);
        let spent = self.ins.ins().isub(spendable, budget);
        let paid = self.quotient(spent, length);
        let more = self.constant(more);
        let trips = self.ins.ins().iadd(paid, more);
        self.count(executions, trips);
    }

    /// A multiple of a number, divided by it.
    fn quotient(&mut self, multiple: Value, by: u64) -> Value {
        let twos = by.trailing_zeros();
        let odd = by >> twos;
        let twos = self.constant(twos.into());
        let shifted = self.ins.ins().ushr(multiple, twos);
        // Newton's iteration: each step doubles the bits that are right, of which an odd number has three to begin with.
        let inverse = (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
        let inverse = self.constant(inverse);
        self.ins.ins().imul(shifted, inverse)
    }

    /// Adds to a counter.
    fn count(&mut self, counter: &Cell<u64>, more: Value) {
        let address = counter.as_ptr() as u64;
        let (base, offset) = match i32::try_from(address.wrapping_sub(self.counters).cast_signed()) {
            // Cranelift would make the whole address twice.
            Ok(offset) => {
                let near = own().with_readonly();
                (self.ins.ins().load(types::I64, near, self.frame, frame::COUNTERS), offset)
            }
            Err(_) => (self.constant(address), 0),
        };
        let count = self.ins.ins().load(types::I64, own(), base, offset);
        let count = self.ins.ins().iadd(count, more);
        self.ins.ins().store(own(), count, base, offset);
    }
}
