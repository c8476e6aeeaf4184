//! Masked instructions as unmasked ones, after which elements that are masked off get back what they had.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Compiled, Operation, Resolved};

use super::cache::COLUMN;
use super::doubles::widens;
use super::lanes::{LONGEST, lanes_of_width};
use super::masks::BITS;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// Compiles a legal, masked instruction that leaves alone what is masked off, of a short body of whole columns or with a
    /// kernel of its own for that; false if it is not one, or has to be a kernel's as a whole.
    pub(super) fn masked(&mut self, operation: &Operation, resolved: &Resolved, vtype: Vtype) -> bool {
        let unit = self.region.vector;
        if resolved.keeps_masked_off() != Some(true) {
            return false;
        }
        let all = Resolved { masked_off: None, ..*resolved };
        if let Compiled::Fixed(fixed, ..) = operation.compiled {
            let call = |builder: &mut Self| builder.call_resolved(&all, vtype);
            if !self.fixed(fixed, resolved, vtype, call) {
                self.call_resolved(&all, vtype);
            }
            return true;
        }
        if resolved.is_of_active {
            self.call_resolved(&all, vtype);
            return true;
        }
        let Some(vl) = self.vector.vl.filter(|&vl| vl > 0 && vl <= BITS) else { return false };
        if unit.vlenb() < COLUMN {
            return false;
        }
        if matches!(operation.compiled, Compiled::Compared(..)) {
            if !self.writes_masks() {
                return false;
            }
            // The result may become the mask.
            let [before, mask] = [resolved.d, 0].map(|offset| self.column(offset, types::I8X16));
            self.unmasked(operation, &all, vtype);
            let value = self.column(resolved.d, types::I8X16);
            let value = self.ins.ins().bitselect(mask, value, before);
            self.set_column(resolved.d, value);
            self.settle_columns();
            return true;
        }
        let sew = match operation.compiled {
            Compiled::Doubled(doubled, _) if widens(doubled.doubling) => vtype.sew + 1,
            _ => vtype.sew,
        };
        let body = vl << sew;
        let is_whole = body <= LONGEST && body.is_multiple_of(COLUMN as u64);
        if !is_whole || body < resolved.tail_end as u64 {
            return false;
        }
        let ty = lanes_of_width(sew);
        let before: Vec<Value> =
            (0..body as usize).step_by(COLUMN).map(|column| self.column(resolved.d + column, ty)).collect();
        self.unmasked(operation, &all, vtype);
        self.put_back(resolved.d, ty, &before);
        true
    }

    /// Elements that are masked off get back what they had in columns from the beginning of `vd` on. The mask, which no such
    /// instruction writes, is looked at after it: it needs no place meanwhile.
    fn put_back(&mut self, d: usize, ty: Type, before: &[Value]) {
        let active = self.masks_in(ty, before.len());
        for (index, (&old, active)) in before.iter().zip(active).enumerate() {
            let new = self.column(d + index * COLUMN, ty);
            let value = self.ins.ins().bitselect(active, new, old);
            self.set_column(d + index * COLUMN, value);
        }
        self.settle_columns();
    }
}
