//! Trips of a long loop, compiled twice: for the case that another one follows, and for the last.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::Trips;
use crate::builder::Builder;
use crate::sums::Sum;

impl Builder<'_, '_> {
    /// Compiles a trip for the case that another one follows, which is paid for, too. What is compiled next is the last one.
    pub fn followed_trip(&mut self, index: usize) {
        let Some((followed, begin)) = self.trips.as_ref().and_then(Trips::followed) else { return };
        let [a, b] = followed.operands.map(|sum| self.value_of(sum));
        let follows = self.compare(followed.comparison, a, b);
        let block = self.region.members[index].block;
        let (budget, zero) = (self.ins.use_var(self.budget), self.constant(0));
        let length = self.constant(block.decoded.len() as u64);
        let left = self.ins.ins().isub(budget, length);
        let is_paid = self.ins.ins().icmp(IntCC::SignedGreaterThanOrEqual, left, zero);
        let both = self.ins.ins().band(follows, is_paid);
        let (goes_on, last) = self.fork(both);
        let point = self.point();
        self.ins.switch_to_block(goes_on);
        let before: Vec<(u16, Value)> =
            followed.overwritten.iter().map(|register| (register, self.get(register))).collect();
        for instruction in self.order(index, block.decoded.len() - 1) {
            self.instruction(index, instruction);
        }
        for (register, value) in before {
            let variable = self.variable(register);
            self.ins.def_var(variable, value);
        }
        self.ins.def_var(self.budget, left);
        self.ins.ins().jump(begin, &[]);
        self.ins.set_cold_block(last);
        self.ins.switch_to_block(last);
        self.go_back_to(point);
    }

    /// A sum of what registers hold now.
    fn value_of(&mut self, sum: Sum) -> Value {
        let [a, b] = sum.registers.map(|register| self.get(register));
        let added = self.constant(sum.added as u64);
        let both = self.ins.ins().iadd(a, b);
        self.ins.ins().iadd(both, added)
    }
}
