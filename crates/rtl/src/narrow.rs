//! Fewer bits where no more are used: CoreDSL widens results (`+` adds a bit, `*` doubles the width), and most
//! behaviours cut them off again.

use coredsl::fold;
use coredsl::ir::{BinaryOp, Expr, Kind, Ty};

/// `expr` as `ty`: a truncation is moved to the operands where that gives the same bits.
pub(crate) fn resize(expr: Expr, ty: Ty) -> Expr {
    let from = expr.ty;
    if ty.width >= from.width {
        return match expr.kind {
            // Literals at their final width.
            Kind::Select(cond, a, b) => fold::select(*cond, ty, resize(*a, ty), resize(*b, ty)),
            kind => fold::resize(Expr { ty: from, kind }, ty),
        };
    }
    match expr.kind {
        Kind::Binary(op, a, b) if keeps_low_bits(op) => {
            fold::arithmetic(op, ty, resize(*a, ty), resize(*b, ty))
        }
        Kind::Binary(BinaryOp::Shl, a, amount) => fold::shift(BinaryOp::Shl, resize(*a, ty), *amount),
        Kind::Unary(op, a) => fold::unary(op, resize(*a, ty)),
        Kind::Select(cond, a, b) => fold::select(*cond, ty, resize(*a, ty), resize(*b, ty)),
        Kind::Concat(_, low) if ty.width <= low.ty.width => resize(*low, ty),
        Kind::Slice { value, lsb } => fold::resize(fold::slice(*value, *lsb, ty.width), ty),
        Kind::Resize(inner) if ty.width < inner.ty.width => resize(*inner, ty),
        kind => fold::resize(Expr { ty: from, kind }, ty),
    }
}

/// True if the low bits of the result depend on no others of the operands.
fn keeps_low_bits(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
    matches!(op, Add | Sub | Mul | And | Or | Xor)
}

/// `width` bits from bit `lsb`.
pub(crate) fn slice(expr: Expr, lsb: Expr, width: u16) -> Expr {
    match fold::as_const(&lsb) {
        Some(at) if at == 0 && width <= expr.ty.width => resize(expr, Ty::unsigned(width)),
        _ => fold::slice(expr, lsb, width),
    }
}
