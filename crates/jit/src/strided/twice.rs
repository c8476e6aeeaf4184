//! Trips of a loop, compiled twice: for the case that others follow, and for the last.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::Trips;
use crate::builder::Builder;
use crate::sums::Sum;

impl Builder<'_, '_> {
    /// Compiles a trip, or several, for the case that another one follows, which is paid for, too. What is compiled next is the
    /// last one, or one of the last.
    pub fn followed_trip(&mut self, index: usize) {
        let Some((followed, begin)) = self.trips.as_ref().and_then(Trips::followed) else { return };
        let [a, b] = followed.operands.map(|sum| self.value_of(sum));
        let follows = if followed.trips > 1 {
            let (above, least) = (self.ins.ins().isub(b, a), self.constant(followed.beyond));
            self.ins.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, above, least)
        } else {
            self.compare(followed.comparison, a, b)
        };
        let block = self.region.members[index].block;
        // Two branches are shorter than one on both.
        let [pays, goes_on, last] = std::array::from_fn(|_| self.ins.create_block());
        self.ins.ins().brif(follows, pays, &[], last, &[]);
        self.ins.seal_block(pays);
        self.ins.switch_to_block(pays);
        // Compared before it is subtracted, so that one register is enough.
        let budget = self.ins.use_var(self.budget);
        let length = self.constant(block.decoded.len() as u64 * followed.trips);
        let is_paid = self.ins.ins().icmp(IntCC::SignedGreaterThanOrEqual, budget, length);
        self.ins.ins().brif(is_paid, goes_on, &[], last, &[]);
        self.ins.seal_block(goes_on);
        self.ins.seal_block(last);
        let point = self.point();
        self.ins.switch_to_block(goes_on);
        let before: Vec<(u16, Value)> =
            followed.overwritten.iter().map(|register| (register, self.get(register))).collect();
        let steps: Vec<(u16, i64, Value)> =
            followed.steps.iter().map(|&(register, step)| (register, step, self.get(register))).collect();
        for trip in 1..=followed.trips {
            for instruction in self.order(index, block.decoded.len() - 1) {
                self.instruction(index, instruction);
            }
            if followed.trips == 1 {
                break;
            }
            // From where the first began: addresses have room for the number.
            for &(register, step, first) in &steps {
                let moved = self.constant(step.wrapping_mul(trip as i64) as u64);
                let value = self.ins.ins().iadd(first, moved);
                let variable = self.variable(register);
                self.ins.def_var(variable, value);
            }
            if trip < followed.trips {
                self.begin_block(index);
            }
        }
        for (register, value) in before {
            let variable = self.variable(register);
            self.ins.def_var(variable, value);
        }
        let left = self.ins.ins().isub(budget, length);
        self.ins.def_var(self.budget, left);
        self.ins.ins().jump(begin, &[]);
        if followed.trips == 1 {
            self.ins.set_cold_block(last);
        }
        self.ins.switch_to_block(last);
        self.go_back_to(point);
    }

    /// A sum of what registers hold now.
    fn value_of(&mut self, sum: Sum) -> Value {
        let [a, b] = sum.registers;
        let both = if a == 0 {
            self.get(b)
        } else {
            let [a, b] = [a, b].map(|register| self.get(register));
            self.ins.ins().iadd(a, b)
        };
        if sum.added == 0 {
            return both;
        }
        let added = self.constant(sum.added as u64);
        self.ins.ins().iadd(both, added)
    }
}
