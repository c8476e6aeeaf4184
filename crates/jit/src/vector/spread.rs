//! Floating-point registers in all elements, in those whose bits of v0 are set, or in the first or the last, and the first in
//! such a register, as SIMD instructions of the host. They neither round nor raise flags, but need the floating-point unit.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::unit::Fields;
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
        if matches!(spread, Spread::ToFirst | Spread::FromFirst) {
            return self.first_moved(operation, spread, body, uop, place);
        }
        let Some(guarded) = self.guardable(operation, uop, vtype, Rounds::Bitwise) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        // Before ways part: so it stays at hand.
        self.number(&guarded);
        let compute = |builder: &mut Self| {
            let ty = guarded.format.bits;
            let number = builder.number(&guarded).map(|number| builder.as_lanes(number, ty));
            let columns: Vec<usize> = (0..guarded.body).step_by(COLUMN).collect();
            let column = |builder: &mut Self, column| builder.column(guarded.operands.a + column, ty);
            let Some(number) = number else {
                return Computed::always(columns.iter().map(|&at| column(builder, at)).collect());
            };
            Computed::always(match spread {
                Spread::VFMERGE => {
                    let of = |at: usize| {
                        let mask = builder.bits_of_mask(0, at >> vtype.sew, ty);
                        let a = column(builder, at);
                        builder.ins.ins().bitselect(mask, number, a)
                    };
                    columns.into_iter().map(of).collect()
                }
                Spread::VFSLIDE1UP | Spread::VFSLIDE1DOWN => {
                    let a: Vec<Value> = columns.into_iter().map(|at| column(builder, at)).collect();
                    builder.slid_by_one(&a, number, spread == Spread::VFSLIDE1UP)
                }
                _ => vec![number; columns.len()],
            })
        };
        self.guarded(&guarded, place, compute, |builder| {
            builder.call_checked(body, agnostic, uop, place);
        });
        true
    }

    /// Columns whose lanes moved on by one, or back, with a number in the lane that this leaves.
    fn slid_by_one(&mut self, columns: &[Value], number: Value, up: bool) -> Vec<Value> {
        let lane = self.ins.func.dfg.value_type(number).lane_type().bytes() as usize;
        let first = if up { COLUMN - lane } else { lane };
        let order: [u8; COLUMN] = std::array::from_fn(|byte| (first + byte) as u8);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let number = self.as_bytes(number);
        let mut all: Vec<Value> = columns.iter().map(|&column| self.as_bytes(column)).collect();
        all.insert(if up { 0 } else { columns.len() }, number);
        all.windows(2).map(|pair| self.ins.ins().shuffle(pair[0], pair[1], order)).collect()
    }

    /// The same of a move to or from element 0, whatever the length of the body.
    fn first_moved(
        &mut self,
        operation: &Operation,
        spread: Spread,
        body: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype)) = (self.region.vector, self.vector.vtype) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        let Some(operands) = operation.floats(unit, uop.word(), vtype) else { return false };
        if !self.writes_masks() || self.vector.vl == Some(0) || vtype.sew == 1 {
            return false;
        }
        let ty = if vtype.sew == 2 { types::F32X4 } else { types::F64X2 };
        self.expect(Some(vtype), place);
        self.expect_floats(place);
        if spread == Spread::FromFirst {
            let column = self.column(operands.a, ty.as_int());
            let bits = self.ins.ins().extractlane(column, 0);
            let is_whole = ty == types::F64X2;
            let bits = if is_whole { bits } else { self.ins.ins().uextend(types::I64, bits) };
            self.set_boxed(Fields(uop.word()).rd(), bits, ty.lane_bits() as u16);
            self.settle_columns();
            return true;
        }
        let is_empty = self.vector.vl.is_none().then(|| {
            let (vl, zero) = (self.vl(), self.constant(0));
            self.ins.ins().icmp(IntCC::Equal, vl, zero)
        });
        let inline = |builder: &mut Self| {
            let column = builder.column(operands.d, ty);
            let value = match builder.number_of(operands.b, ty) {
                Some(number) => {
                    let first = builder.ins.ins().extractlane(number, 0);
                    builder.ins.ins().insertlane(column, first, 0)
                }
                None => column,
            };
            builder.set_column(operands.d, value);
            builder.settle_columns();
        };
        match is_empty {
            Some(_) => self.inline_unless(
                is_empty,
                |builder, _| inline(builder),
                |builder| builder.call_checked(body, agnostic, uop, place),
            ),
            None => inline(self),
        }
        true
    }
}
