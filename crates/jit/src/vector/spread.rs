//! Floating-point registers in all elements, or in those whose bits of v0 are set, as SIMD instructions of the host. They
//! neither round nor raise flags, but need the floating-point unit.

use cranelift_codegen::ir::InstBuilder;
use engine::uop::Uop;
use hart::vector::compiled::{Checked, Operation, Spread};

use super::cache::COLUMN;
use super::flags;
use crate::builder::{Builder, Place};

impl Builder<'_, '_> {
    /// Compiles a legal instruction of a short body of whole columns; false if it is not one.
    pub(super) fn spread(
        &mut self,
        operation: &Operation,
        spread: Spread,
        body: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype)) = (self.region.vector, self.vector.vtype) else { return false };
        let Some(guarded) = self.guardable(operation, uop, vtype, false) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        let differs = self.differences(&guarded);
        let inline = |builder: &mut Self, _| {
            let Some(number) = builder.number(&guarded) else { return };
            let ty = guarded.format.bits;
            let number = builder.ins.ins().bitcast(ty, flags(), number);
            for column in (0..guarded.body).step_by(COLUMN) {
                let value = match spread {
                    Spread::VFMV => number,
                    Spread::VFMERGE => {
                        let mask = builder.bits_of_mask(0, column >> vtype.sew, ty);
                        let a = builder.column(guarded.operands.a + column, ty);
                        builder.ins.ins().bitselect(mask, number, a)
                    }
                };
                builder.set_column(guarded.operands.d + column, value);
            }
            builder.settle_columns();
        };
        self.inline_unless(differs, inline, |builder| builder.call_checked(body, agnostic, uop, place));
        true
    }
}
