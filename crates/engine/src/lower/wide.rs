//! Operations whose plain form is wider than a slot or than their operands: comparisons and divisions
//! after conversion to a common type, the high half of a product, rotation.

use coredsl::ir::{BinaryOp, Expr, Kind};

use super::expr::strip;
use super::{Lower, Lowering, Unsupported, Val, Value};
use crate::uop::Op;

impl<'a> Lowering<'a, '_> {
    /// Both operands in one 64-bit representation: signed if either is.
    fn common(&mut self, a: &'a Expr, b: &'a Expr) -> Lower<(Val, Val, bool)> {
        let signed = may_be_negative(a) || may_be_negative(b);
        let mut one = |expr: &'a Expr| {
            let width = expr.ty.width;
            if width > 64 || (signed && !expr.ty.signed && width == 64) {
                return Err(Unsupported);
            }
            let exact = self.exact(expr, width)?;
            if may_be_negative(expr) { Ok(self.sign_extend(exact, width, 64)?.val) } else { Ok(exact) }
        };
        Ok((one(a)?, one(b)?, signed))
    }

    pub(super) fn compare(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr) -> Lower<Value> {
        let (a, b) = match op {
            BinaryOp::Gt | BinaryOp::Le => (strip(b), strip(a)),
            _ => (strip(a), strip(b)),
        };
        let narrow_signed = a.ty.signed && b.ty.signed && a.ty.width == 32 && b.ty.width == 32;
        let (x, y, signed) =
            if narrow_signed { (self.exact(a, 32)?, self.exact(b, 32)?, true) } else { self.common(a, b)? };
        let op = match (op, signed, narrow_signed) {
            (BinaryOp::Eq, ..) => Op::Eq,
            (BinaryOp::Ne, ..) => Op::Ne,
            (BinaryOp::Lt | BinaryOp::Gt, false, _) => Op::Ltu,
            (BinaryOp::Lt | BinaryOp::Gt, true, false) => Op::Lts64,
            (BinaryOp::Lt | BinaryOp::Gt, true, true) => Op::Lts32,
            (_, false, _) => Op::Geu,
            (_, true, false) => Op::Ges64,
            (_, true, true) => Op::Ges32,
        };
        self.binary(op, x, y, 1)
    }

    pub(super) fn divide(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr) -> Lower<Value> {
        let (x, y, signed) = self.common(strip(a), strip(b))?;
        let op = match (op, signed) {
            (BinaryOp::Div, false) => Op::DivU,
            (BinaryOp::Div, true) => Op::DivS64,
            (_, false) => Op::RemU,
            (_, true) => Op::RemS64,
        };
        self.binary(op, x, y, 64)
    }

    /// Bits 64 and up of a product of two 64-bit operands.
    pub(super) fn multiply_high(&mut self, a: &'a Expr, amount: u16, demanded: u16) -> Lower<Option<Value>> {
        let Some((x, y)) = self.product(a) else { return Ok(None) };
        if amount != 64 || demanded > 64 || a.ty.width <= 64 || x.ty.width != 64 || y.ty.width != 64 {
            return Ok(None);
        }
        let (op, x, y) = match (x.ty.signed, y.ty.signed) {
            (false, false) => (Op::MulHU, x, y),
            (true, true) => (Op::MulHS, x, y),
            (true, false) => (Op::MulHSU, x, y),
            (false, true) => (Op::MulHSU, y, x),
        };
        let (x, y) = (self.exact(x, 64)?, self.exact(y, 64)?);
        Ok(Some(self.binary(op, x, y, 64)?))
    }

    /// The factors of a product, seen through a deferred local.
    fn product(&self, expr: &'a Expr) -> Option<(&'a Expr, &'a Expr)> {
        match &strip(expr).kind {
            Kind::Binary(BinaryOp::Mul, a, b) => Some((strip(a), strip(b))),
            Kind::Local(local) => match self.state.locals.get(local.index())? {
                // Its operands must not be locals of another time.
                super::Binding::Deferred(expr, _)
                    if !mentions_local(expr) && self.state.registers.is_empty() =>
                {
                    self.product(expr)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `(x << n) | (x >> (width - n))`, or the same with the shifts exchanged.
    pub(super) fn rotate(
        &mut self,
        a: &'a Expr,
        b: &'a Expr,
        width: u16,
        demanded: u16,
    ) -> Lower<Option<Value>> {
        let (Kind::Binary(first, x, n), Kind::Binary(second, y, m)) = (&strip(a).kind, &strip(b).kind) else {
            return Ok(None);
        };
        if x != y || x.ty.width != width || x.ty.signed || !matches!(width, 32 | 64) || demanded != width {
            return Ok(None);
        }
        let (left, right, op, shift) = match (first, second) {
            (BinaryOp::Shl, BinaryOp::Shr) => (n, m, if width == 32 { Op::Rol32 } else { Op::Rol64 }, n),
            (BinaryOp::Shr, BinaryOp::Shl) => (n, m, if width == 32 { Op::Ror32 } else { Op::Ror64 }, n),
            _ => return Ok(None),
        };
        if x.touches_space() || !self.complement(left, right, width)? {
            return Ok(None);
        }
        let amount = self.amount(shift)?;
        let value = self.value(x, width)?;
        let value = if width == 32 { value.val } else { self.exactly(value, width)? };
        Ok(Some(self.binary(op, value, amount, width)?))
    }

    /// True if `right` is `width - left`.
    fn complement(&mut self, left: &'a Expr, right: &'a Expr, width: u16) -> Lower<bool> {
        if let Kind::Binary(BinaryOp::Sub, whole, part) = &strip(right).kind
            && strip(part) == strip(left)
        {
            return Ok(self.probe(|this| this.amount(whole))? == Val::Const(width.into()));
        }
        Ok(match self.probe(|this| Ok((this.amount(left)?, this.amount(right)?)))? {
            (Val::Const(left), Val::Const(right)) => {
                left + right == u64::from(width) && left < u64::from(width)
            }
            _ => false,
        })
    }
}

fn may_be_negative(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Const(value) => expr.ty.signed && (*value >> (expr.ty.width - 1)) & 1 == 1,
        _ => expr.ty.signed,
    }
}

fn mentions_local(expr: &Expr) -> bool {
    expr.any(&|expr| matches!(expr.kind, Kind::Local(_)))
}
