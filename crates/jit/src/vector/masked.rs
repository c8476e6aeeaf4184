//! Masked instructions as unmasked ones, after which elements that are masked off get back what they had.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{Compiled, Operation, Resolved, offset};

use super::cache::COLUMN;
use super::doubles::widens;
use super::lanes::{LONGEST, lanes_of_width};
use super::masks::BITS;
use crate::builder::{Builder, Place, own};

/// Columns before an instruction changes them, from the beginning of `vd` on, and the mask.
struct Before {
    columns: Vec<Value>,
    mask: Value,
}

impl Builder<'_, '_> {
    /// Compiles a legal, masked instruction of a short body of whole columns that leaves alone what is masked off; false if it
    /// is not one, or has to be a kernel's as a whole.
    pub(super) fn masked(
        &mut self,
        operation: &Operation,
        resolved: &Resolved,
        vtype: Vtype,
        uop: Uop,
        place: Place,
    ) -> bool {
        let unit = self.region.vector;
        let Some(vl) = self.vector.vl.filter(|&vl| vl > 0 && vl <= BITS) else { return false };
        if resolved.keeps_masked_off() != Some(true) || unit.vlenb() < COLUMN {
            return false;
        }
        let all = Resolved { masked_off: None, ..*resolved };
        if matches!(operation.compiled, Compiled::Compared(..)) {
            if !self.writes_masks() {
                return false;
            }
            let before = self.before(resolved.d, COLUMN);
            self.unmasked(operation, &all, vtype, None);
            let value = self.column(resolved.d, types::I8X16);
            let value = self.ins.ins().bitselect(before.mask, value, before.columns[0]);
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
        let before = self.before(resolved.d, body as usize);
        if let Compiled::Fixed(.., checked) = operation.compiled {
            let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
            self.unless_saturating(operation, &all, vtype, &before, |builder| {
                builder.call_checked(checked, agnostic, uop, place);
            });
        } else {
            self.unmasked(operation, &all, vtype, None);
            self.put_back(resolved.d, sew, &before);
        }
        true
    }

    fn before(&mut self, d: usize, bytes: usize) -> Before {
        let columns =
            (0..bytes).step_by(COLUMN).map(|column| self.column(d + column, types::I8X16)).collect();
        Before { columns, mask: self.column(0, types::I8X16) }
    }

    /// Elements of a width (log2 of bytes) that are masked off get back what they had.
    fn put_back(&mut self, d: usize, sew: u8, before: &Before) {
        let ty = lanes_of_width(sew);
        for (index, &old) in before.columns.iter().enumerate() {
            let active = self.lanes_of_bits(before.mask, (index * COLUMN) >> sew, ty);
            let new = self.column(d + index * COLUMN, ty);
            let old = self.as_lanes(old, ty);
            let value = self.ins.ins().bitselect(active, new, old);
            self.set_column(d + index * COLUMN, value);
        }
        self.settle_columns();
    }

    /// The same of an instruction that may saturate: if any element does for the first time, which may be one that is
    /// masked off, it is undone and `call` does it.
    fn unless_saturating(
        &mut self,
        operation: &Operation,
        all: &Resolved,
        vtype: Vtype,
        before: &Before,
        call: impl FnOnce(&mut Self),
    ) {
        let hart = self.hart();
        let had = self.ins.ins().load(types::I8, own(), hart, offset::VXSAT as i32);
        self.unmasked(operation, all, vtype, Some(before.mask));
        let has = self.ins.ins().load(types::I8, own(), hart, offset::VXSAT as i32);
        let is_news = self.ins.ins().band_not(has, had);
        self.inline_unless(
            Some(is_news),
            |builder, _| builder.put_back(all.d, vtype.sew, before),
            |builder| {
                for (index, &old) in before.columns.iter().enumerate() {
                    builder.set_column(all.d + index * COLUMN, old);
                }
                let hart = builder.hart();
                builder.ins.ins().store(own(), had, hart, offset::VXSAT as i32);
                call(builder);
            },
        );
    }
}
