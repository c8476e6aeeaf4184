//! Assignments, also to single bits, as whole writes.

use super::access::Bits;
use super::lower::{Lowering, Place};
use crate::ast::{self, BinaryOp};
use crate::diagnostic::Checked;
use crate::fold;
use crate::ir::{Expr, Stmt, Ty};
use crate::source::Span;

impl Lowering<'_, '_> {
    /// `target = value`, or `target op= value`, which converts its result back by itself.
    pub fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Checked<()> {
        let operand = self.expr(value);
        let (place, slices) = self.place(target)?;
        let operand = operand?;
        let ty = slices.last().map_or_else(|| self.place_ty(&place), |(_, width)| Ty::unsigned(*width));
        let Some(op) = op else {
            let value = self.convert(operand, ty, value.span)?;
            return self.store(place, &slices, value, span);
        };
        self.update(op, (place, slices), operand, ty, span)
    }

    /// `target++` and `target--`.
    pub fn step(&mut self, op: BinaryOp, target: &ast::Expr, span: Span) -> Checked<()> {
        let (place, slices) = self.place(target)?;
        let ty = slices.last().map_or_else(|| self.place_ty(&place), |(_, width)| Ty::unsigned(*width));
        let one = fold::constant(ethnum::U256::ONE, Ty::unsigned(1));
        self.update(op, (place, slices), one, ty, span)
    }

    fn update(
        &mut self,
        op: BinaryOp,
        (place, slices): (Place, Vec<Bits>),
        operand: Expr,
        ty: Ty,
        span: Span,
    ) -> Checked<()> {
        let whole = self.read_once(&place, true, span)?;
        let mut current = whole.clone();
        for (lsb, width) in &slices {
            current = fold::slice(current, lsb.clone(), *width);
        }
        let value = self.binary(op, current, operand, span)?;
        let value = inserted(whole, &slices, fold::resize(value, ty));
        self.write(place, value, span);
        Ok(())
    }

    fn store(&mut self, place: Place, slices: &[Bits], value: Expr, span: Span) -> Checked<()> {
        let value = if slices.is_empty() {
            value
        } else {
            let whole = self.read_once(&place, slices.len() > 1, span)?;
            inserted(whole, slices, value)
        };
        self.write(place, value, span);
        Ok(())
    }

    /// The value of a place; from an address space, where a read may have effects, in a variable if it
    /// is used more than once.
    fn read_once(&mut self, place: &Place, several_uses: bool, span: Span) -> Checked<Expr> {
        let value = self.read(place.clone(), span)?;
        if !several_uses || !matches!(place, Place::Space { .. }) {
            return Ok(value);
        }
        let local = self.new_local(value.ty);
        self.push(span, Stmt::Assign { local, value });
        Ok(self.local(local))
    }

    fn write(&mut self, place: Place, value: Expr, span: Span) {
        let stmt = match place {
            Place::Local(local) => Stmt::Assign { local, value },
            Place::Register { id, index } => Stmt::WriteReg { reg: id, index, value },
            Place::Space { id, address, .. } => Stmt::WriteSpace { space: id, address, value },
        };
        self.push(span, stmt);
    }
}

/// `whole` with the bits that `slices` select, from the outside in, replaced.
fn inserted(whole: Expr, slices: &[Bits], value: Expr) -> Expr {
    let Some(((lsb, width), inner)) = slices.split_first() else { return value };
    let bits = inserted(fold::slice(whole.clone(), lsb.clone(), *width), inner, value);
    fold::insert(whole, lsb.clone(), bits)
}
