//! Floating-point registers in all elements, or in those whose bits of v0 are set, as SIMD instructions of the host. They
//! neither round nor raise flags, but need the floating-point unit.

use cranelift_codegen::ir::InstBuilder;
use engine::uop::Uop;
use hart::vector::compiled::{Checked, Operation, Spread};

use super::cache::COLUMN;
use super::guarded::{Computed, Rounds};
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
        let Some(guarded) = self.guardable(operation, uop, vtype, Rounds::Never) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        let compute = |builder: &mut Self| {
            let ty = guarded.format.bits;
            let number = builder.number(&guarded).map(|number| builder.as_lanes(number, ty));
            let of = |column: usize| match (spread, number) {
                (Spread::VFMV, Some(number)) => number,
                (_, number) => {
                    let mask = builder.bits_of_mask(0, column >> vtype.sew, ty);
                    let a = builder.column(guarded.operands.a + column, ty);
                    builder.ins.ins().bitselect(mask, number.unwrap_or(a), a)
                }
            };
            Computed::always((0..guarded.body).step_by(COLUMN).map(of).collect())
        };
        self.guarded(&guarded, place, compute, |builder| {
            builder.call_checked(body, agnostic, uop, place);
        });
        true
    }
}
